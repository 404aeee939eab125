-- Which account used which agent and model, from when to when?
SELECT COALESCE(s.account, 'unknown') AS account, u.agent, COALESCE(u.model, 'unknown') AS model,
    COUNT(DISTINCT u.session) AS sessions, MIN(u.time) AS first, MAX(u.time) AS last
FROM usage_counted u
LEFT JOIN (SELECT session, MAX(account) AS account FROM sessions GROUP BY session) s
    ON s.session = u.session
GROUP BY 1, 2, 3 ORDER BY sessions DESC, account, agent, model
