-- What was spent on each day of the last month that has answers? (UTC)
SELECT CAST(time AS date) AS day, COUNT(DISTINCT session) AS sessions, SUM(total) AS tokens,
    SUM(COALESCE(recorded_usd, listed_usd)) AS usd
FROM usage_counted
WHERE time IS NOT NULL
    AND CAST(time AS date) > (SELECT date_sub(MAX(CAST(time AS date)), 30) FROM usage_counted)
GROUP BY 1 ORDER BY day DESC
