-- Of every turn and rule, the result to count: the current revision's, by the newest rule version.
-- The current revision has the newest source time, then the most fragments, then the greatest hash.
CREATE VIEW current_scores AS
SELECT score.*
FROM live_scores AS score
WHERE NOT EXISTS (
    SELECT 1
    FROM live_scores AS newer
    WHERE newer.conversation_id = score.conversation_id
      AND newer.turn_id = score.turn_id
      AND newer.rule = score.rule
      AND (
          COALESCE(newer.revised_at, '0001-01-01T00:00:00.000000Z'), newer.fragments, newer.revision,
          newer.evaluated_at, newer.result_id
      ) > (
          COALESCE(score.revised_at, '0001-01-01T00:00:00.000000Z'), score.fragments, score.revision,
          score.evaluated_at, score.result_id
      )
)
