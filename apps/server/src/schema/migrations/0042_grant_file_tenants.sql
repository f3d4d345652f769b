ALTER TABLE "oss_grant_files" ADD COLUMN "tenant_ids" integer[] DEFAULT '{0}' NOT NULL;--> statement-breakpoint
UPDATE files f SET tenant_id = c.tenant_id FROM oss_consents c
WHERE c.file_id = f.id AND f.purpose = 'consent' AND f.tenant_id IS DISTINCT FROM c.tenant_id;
