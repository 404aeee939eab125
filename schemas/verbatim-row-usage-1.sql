-- The usage that `verbatim usage` counts: of the rows of the tables `sessions` and `usage`, one row
-- an answer. It does not depend on the order of the rows, so that they can be made in many tasks.
-- SQLite, DuckDB and Spark (Sail) take it as it is. Keys are equal for equal answers in all rows
-- that one version of the program made.
CREATE VIEW usage_counted AS
WITH known AS (
    SELECT session FROM sessions UNION SELECT session FROM usage
),
-- Answers that a fork copied from a session that is not there: the fork that copied most has them.
forks AS (
    SELECT forked_from, session, COUNT(*) AS copied FROM usage
    WHERE verdict = 'copied' AND forked_from IS NOT NULL
        AND forked_from NOT IN (SELECT session FROM known)
        AND COALESCE(input, cache_read, cache_write, cache_write_hour, output, reasoning, tool,
            unsplit) IS NOT NULL
    GROUP BY forked_from, session
),
heirs AS (
    SELECT forked_from, session FROM (
        SELECT forked_from, session,
            ROW_NUMBER() OVER (PARTITION BY forked_from ORDER BY copied DESC, session DESC) AS place
        FROM forks
    ) AS ranked WHERE place = 1
),
inherited AS (
    SELECT u.*,
        CASE WHEN h.session IS NULL THEN 0 ELSE 1 END AS is_heir
    FROM usage u LEFT JOIN heirs h ON h.forked_from = u.forked_from AND h.session = u.session
        AND u.verdict = 'copied'
        AND COALESCE(u.input, u.cache_read, u.cache_write, u.cache_write_hour, u.output, u.reasoning,
            u.tool, u.unsplit) IS NOT NULL
),
-- The answers behind the last one that the other session has are the fork's own, each once.
copies AS (
    SELECT * FROM inherited
    WHERE verdict = 'copied' AND is_heir = 0 AND forked_from IS NOT NULL AND said IS NOT NULL
),
ends AS (
    SELECT c.session, c.state, c.file, MAX(c.number) AS number FROM copies c
    JOIN (SELECT DISTINCT session, said FROM usage WHERE said IS NOT NULL) s
        ON s.session = c.forked_from AND s.said = c.said
    GROUP BY c.session, c.state, c.file
),
own AS (
    SELECT session, state, number FROM (
        SELECT c.session, c.state, c.number,
            ROW_NUMBER() OVER (PARTITION BY c.said ORDER BY c.session, c.state, c.file, c.number)
                AS place
        FROM copies c JOIN ends e
            ON e.session = c.session AND e.state = c.state AND e.file = c.file
        WHERE c.number > e.number
    ) AS ranked WHERE place = 1
),
candidates AS (
    SELECT i.*,
        CASE WHEN o.session IS NULL AND i.part IN ('sub-agent', 'copied', 'session-sum') THEN 1
            ELSE 0 END AS side,
        CASE WHEN o.session IS NULL AND i.verdict = 'copied' THEN 1 ELSE 0 END AS is_copy
    FROM inherited i LEFT JOIN own o
        ON o.session = i.session AND o.state = i.state AND o.number = i.number
    WHERE i.verdict = 'counted' OR i.is_heir = 1 OR o.session IS NOT NULL
),
-- Of all rows with one key the most complete counts: of steps of running totals the least one, of
-- others the one with the most output, then with the most tokens; then the first in time.
keyed AS (
    SELECT c.*, MIN(CASE WHEN is_step THEN 1 ELSE 0 END) OVER (PARTITION BY agent, key) AS steps
    FROM candidates c
),
by_key AS (
    SELECT k.*, ROW_NUMBER() OVER (
        PARTITION BY agent, key
        ORDER BY CASE WHEN steps = 1 THEN total ELSE -COALESCE(output, -1) END,
            CASE WHEN steps = 1 THEN 0 ELSE -total END,
            side, is_copy, CASE WHEN time IS NULL THEN 0 ELSE 1 END, time, session, state, file,
                number
    ) AS key_place FROM keyed k
),
-- The same, by the identity of an answer that a fork copied under a new name.
twins AS (
    SELECT b.*, MIN(CASE WHEN is_step THEN 1 ELSE 0 END) OVER (PARTITION BY agent, twin)
        AS twin_steps
    FROM by_key b WHERE key IS NULL OR key_place = 1
),
by_twin AS (
    SELECT t.*, ROW_NUMBER() OVER (
        PARTITION BY agent, twin
        ORDER BY CASE WHEN twin_steps = 1 THEN total ELSE -COALESCE(output, -1) END,
            CASE WHEN twin_steps = 1 THEN 0 ELSE -total END,
            side, is_copy, CASE WHEN time IS NULL THEN 0 ELSE 1 END, time, session, state, file,
                number
    ) AS twin_place FROM twins t
),
-- A session's sum counts only if none of its answers does.
answers AS (
    SELECT b.*, MAX(CASE WHEN part = 'session-sum' THEN 0 ELSE 1 END)
        OVER (PARTITION BY session) AS has_answers
    FROM by_twin b WHERE twin IS NULL OR twin_place = 1
),
-- Either a document counts, or the session that it was made from: the one with more tokens.
told AS (
    SELECT a.*,
        SUM(CASE WHEN is_document THEN total END) OVER (PARTITION BY id) AS of_documents,
        SUM(CASE WHEN is_document THEN 0 ELSE total END) OVER (PARTITION BY id) AS of_sessions,
        MAX(CASE WHEN is_document THEN 0 ELSE 1 END) OVER (PARTITION BY id) AS has_session
    FROM answers a WHERE part <> 'session-sum' OR has_answers = 0
)
SELECT * FROM told
WHERE of_documents IS NULL OR has_session = 0
    OR (is_document AND of_documents > of_sessions)
    OR (NOT is_document AND of_documents <= of_sessions);
