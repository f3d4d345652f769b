ALTER TABLE "agents" ADD COLUMN "tools" varchar(16)[] DEFAULT '{}'::varchar[] NOT NULL;--> statement-breakpoint
-- Versions from before the column chose no tools. Without the field, every later version would differ from them.
UPDATE "agent_versions" SET "snapshot" = "snapshot" || '{"tools": []}' WHERE NOT "snapshot" ? 'tools';
