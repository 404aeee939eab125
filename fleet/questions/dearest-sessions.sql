-- Which sessions were the dearest?
SELECT u.session, MAX(s.folder) AS folder, SUM(COALESCE(u.recorded_usd, u.listed_usd)) AS usd,
    SUM(u.total) AS tokens, COUNT(*) AS answers
FROM usage_counted u
LEFT JOIN (SELECT session, MAX(folder) AS folder FROM sessions GROUP BY session) s
    ON s.session = u.session
GROUP BY u.session ORDER BY usd DESC NULLS LAST, tokens DESC, u.session LIMIT 20
