-- What did each team spend on which model? (US dollars, recorded or by list price)
SELECT COALESCE(t.team, 'no team') AS team, COALESCE(u.model, 'unknown') AS model,
    COUNT(*) AS answers, SUM(u.total) AS tokens,
    SUM(COALESCE(u.recorded_usd, u.listed_usd)) AS usd,
    SUM(CASE WHEN u.recorded_usd IS NULL AND u.listed_usd IS NULL THEN 1 ELSE 0 END) AS unpriced
FROM usage_counted u
LEFT JOIN (SELECT session, MAX(account) AS account FROM sessions GROUP BY session) s
    ON s.session = u.session
LEFT JOIN teams t ON t.account = s.account
GROUP BY 1, 2 ORDER BY usd DESC NULLS LAST, tokens DESC, team, model
