ALTER TABLE "settings" ADD COLUMN "update_by" integer;--> statement-breakpoint
ALTER TABLE "settings" ADD COLUMN "rev" integer DEFAULT 0 NOT NULL;