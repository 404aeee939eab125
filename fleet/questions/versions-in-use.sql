-- Which versions of the agents are in use, and since when?
SELECT agent, COALESCE(agent_version, 'unknown') AS version, COUNT(DISTINCT session) AS sessions,
    MIN(started) AS first, MAX(updated) AS last
FROM sessions WHERE NOT is_document
GROUP BY 1, 2 ORDER BY agent, last DESC NULLS LAST, version
