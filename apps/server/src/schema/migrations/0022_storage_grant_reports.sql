ALTER TABLE "oss_grant_files" ADD COLUMN "problems" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "oss_grant_files" ADD COLUMN "failed_file_id" varchar(32);