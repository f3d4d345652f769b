ALTER TABLE "agents" ADD COLUMN "context_facts" varchar(16)[] DEFAULT '{}'::varchar[] NOT NULL;--> statement-breakpoint
-- Versions from before the column chose no facts. Without the field, every later version would differ from them.
UPDATE "agent_versions" SET "snapshot" = "snapshot" || '{"contextFacts": []}' WHERE NOT "snapshot" ? 'contextFacts';
