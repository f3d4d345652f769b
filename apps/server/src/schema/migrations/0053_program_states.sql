CREATE TABLE "ad_program_states" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"program_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"published_ver" integer NOT NULL,
	"status" smallint NOT NULL,
	"recorded" smallint DEFAULT 1 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ad_program_states" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "ad_program_states_since" ON "ad_program_states" USING btree ("tenant_id","program_id","since");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_program_states" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
-- Records which version of a program is in force from which moment. A deleted program counts as ended.
CREATE FUNCTION oms_ad_program_state() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.status <> OLD.status OR NEW.published_ver <> OLD.published_ver
    OR (NEW.deleted_at IS NULL) <> (OLD.deleted_at IS NULL) THEN
    INSERT INTO ad_program_states (program_id, tenant_id, since, published_ver, status)
    VALUES (NEW.id, NEW.tenant_id, clock_timestamp(), NEW.published_ver,
      CASE WHEN NEW.deleted_at IS NULL THEN NEW.status ELSE 5 END);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_programs_state AFTER INSERT OR UPDATE OF status, published_ver, deleted_at ON ad_programs
  FOR EACH ROW EXECUTE FUNCTION oms_ad_program_state();
--> statement-breakpoint
-- Times before this migration: versions have the times of their publishing or approval. Earlier pauses, resumptions and
-- withdrawals are unknown, so these rows are not `recorded`.
INSERT INTO ad_program_states (program_id, tenant_id, since, published_ver, status, recorded)
SELECT program_id, tenant_id, coalesce(audit_time, publish_time), ver_no, 2, 0
FROM ad_program_versions WHERE state IN (2, 3) ORDER BY 3, 1, 4;
--> statement-breakpoint
INSERT INTO ad_program_states (program_id, tenant_id, since, published_ver, status, recorded)
SELECT p.id, p.tenant_id, greatest(p.update_time, p.deleted_at), p.published_ver,
  CASE WHEN p.deleted_at IS NULL THEN p.status ELSE 5 END, 0
FROM ad_programs p WHERE p.ver_no > 0 AND (p.status IN (4, 5) OR p.deleted_at IS NOT NULL);
--> statement-breakpoint
INSERT INTO ad_program_states (program_id, tenant_id, since, published_ver, status)
SELECT id, tenant_id, clock_timestamp(), published_ver, CASE WHEN deleted_at IS NULL THEN status ELSE 5 END
FROM ad_programs ORDER BY id;
