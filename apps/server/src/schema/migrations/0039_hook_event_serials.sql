ALTER TABLE "oss_hook_events" ADD COLUMN "sns" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- Bodies are read as text: a cast to jsonb fails for texts that JSON permits and PostgreSQL does not store.
UPDATE oss_hook_events e SET sns = x.sns FROM (
  SELECT h.id, array_agg(DISTINCT m[1]) AS sns
  FROM oss_hook_events h CROSS JOIN LATERAL regexp_matches(h.body, '"sn"\s*:\s*"((?:[^"\\]|\\.)*)"', 'g') m GROUP BY 1) x
WHERE x.id = e.id;
