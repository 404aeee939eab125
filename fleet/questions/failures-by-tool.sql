-- Which tools fail how often?
SELECT tool, COUNT(*) AS calls, SUM(CASE WHEN outcome = 'bad' THEN 1 ELSE 0 END) AS failed,
    ROUND(100.0 * SUM(CASE WHEN outcome = 'bad' THEN 1 ELSE 0 END) / COUNT(*), 1) AS percent
FROM calls WHERE outcome IS NOT NULL AND tool IS NOT NULL
GROUP BY tool ORDER BY failed DESC, calls DESC, tool LIMIT 50
