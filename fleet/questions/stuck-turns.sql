-- Which turns took longest?
SELECT session, turn, ROUND(active_ms / 60000.0, 1) AS minutes, calls, failed_calls, ending
FROM turns WHERE active_ms IS NOT NULL
ORDER BY active_ms DESC, session, turn LIMIT 20
