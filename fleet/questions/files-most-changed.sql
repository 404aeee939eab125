-- Which files were changed most often, and by how many sessions?
SELECT path, COUNT(*) AS changes, COUNT(DISTINCT session) AS sessions,
    SUM(inserted_lines) AS inserted, SUM(deleted_lines) AS deleted
FROM files GROUP BY path ORDER BY changes DESC, path LIMIT 50
