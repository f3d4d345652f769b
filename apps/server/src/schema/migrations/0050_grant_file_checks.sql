ALTER TABLE "oss_grant_files" ADD COLUMN "checked" jsonb;
