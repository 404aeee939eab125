-- What could not be read, and why?
SELECT kind, why, COUNT(*) AS faults, COUNT(DISTINCT session) AS sessions, MIN(file) AS example
FROM faults GROUP BY kind, why ORDER BY faults DESC, kind, why
