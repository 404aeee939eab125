-- In which folders do sessions hold secrets? (counted by place and class; values are not here)
SELECT COALESCE(s.folder, 'unknown') AS folder, f.class,
    COUNT(*) AS places, COUNT(DISTINCT f.session) AS sessions
FROM findings f
JOIN (SELECT session, state, MAX(folder) AS folder FROM sessions GROUP BY session, state) s
    ON s.session = f.session AND s.state = f.state
WHERE f.class IN ('provider-token', 'private-key', 'url-credential', 'header', 'password', 'jwt',
    'webhook', 'connection', 'generic', 'secret')
GROUP BY 1, 2 ORDER BY places DESC, folder, class LIMIT 50
