CREATE TABLE "ad_names" (
	"kind" smallint NOT NULL,
	"id" integer NOT NULL,
	"name" varchar(64) NOT NULL,
	"deleted" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "ad_names_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "ad_play_days" (
	"day" date NOT NULL,
	"device_id" integer NOT NULL,
	"program_id" integer NOT NULL,
	"ad_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"plays" integer NOT NULL,
	"complete" integer NOT NULL,
	"partial" integer NOT NULL,
	"failed" integer NOT NULL,
	"ms" bigint NOT NULL,
	"untrusted" integer NOT NULL,
	"first_start" bigint NOT NULL,
	"last_end" bigint NOT NULL,
	CONSTRAINT "ad_play_days_pk" PRIMARY KEY("day","device_id","program_id","ad_id")
);
--> statement-breakpoint
ALTER TABLE "ad_play_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_play_fresh" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"hour" bigint NOT NULL,
	"day" date NOT NULL,
	"device_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"program_id" integer NOT NULL,
	"ad_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"plays" integer NOT NULL,
	"complete" integer NOT NULL,
	"partial" integer NOT NULL,
	"failed" integer NOT NULL,
	"ms" bigint NOT NULL,
	"untrusted" integer NOT NULL,
	"first_start" bigint NOT NULL,
	"last_end" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ad_play_fresh" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_play_hours" (
	"hour" bigint NOT NULL,
	"tenant_id" integer NOT NULL,
	"program_id" integer NOT NULL,
	"ad_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"plays" integer NOT NULL,
	"complete" integer NOT NULL,
	"partial" integer NOT NULL,
	"failed" integer NOT NULL,
	"ms" bigint NOT NULL,
	"untrusted" integer NOT NULL,
	CONSTRAINT "ad_play_hours_pk" PRIMARY KEY("hour","tenant_id","program_id","ad_id","model_id")
);
--> statement-breakpoint
ALTER TABLE "ad_play_hours" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_plays" (
	"play_day" date NOT NULL,
	"device_id" integer NOT NULL,
	"report_id" uuid NOT NULL,
	"start_ms" bigint NOT NULL,
	"ms" integer NOT NULL,
	"planned" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"program_id" integer NOT NULL,
	"program_ver" integer NOT NULL,
	"item_id" integer NOT NULL,
	"ad_id" integer NOT NULL,
	"ad_ver" integer NOT NULL,
	"material_id" integer DEFAULT 0 NOT NULL,
	"result" smallint NOT NULL,
	"clock" smallint NOT NULL,
	"count" integer DEFAULT 1 NOT NULL,
	"recv" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ad_plays_pk" PRIMARY KEY("play_day","device_id","report_id")
) PARTITION BY RANGE ("play_day");
--> statement-breakpoint
ALTER TABLE "ad_plays" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_rejects" (
	"day" date NOT NULL,
	"device_id" integer NOT NULL,
	"reason" varchar(16) NOT NULL,
	"tenant_id" integer NOT NULL,
	"n" integer NOT NULL,
	CONSTRAINT "ad_rejects_pk" PRIMARY KEY("day","device_id","reason")
);
--> statement-breakpoint
ALTER TABLE "ad_rejects" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_pairings" (
	"pair_id" varchar(32) PRIMARY KEY NOT NULL,
	"secret_hash" varchar(64) NOT NULL,
	"code" varchar(6) NOT NULL,
	"player_id" varchar(64) NOT NULL,
	"width" integer DEFAULT 0 NOT NULL,
	"height" integer DEFAULT 0 NOT NULL,
	"codecs" varchar(32)[] DEFAULT '{}'::varchar[] NOT NULL,
	"address" varchar(64) NOT NULL,
	"device_id" integer,
	"token_encrypted" varchar(255) DEFAULT '' NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ad_screens" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"player_kind" smallint NOT NULL,
	"player_token_hash" varchar(64) DEFAULT '' NOT NULL,
	"smil_key_hash" varchar(64) DEFAULT '' NOT NULL,
	"smil_uuid" varchar(64) DEFAULT '' NOT NULL,
	"smil_replaced" smallint DEFAULT 0 NOT NULL,
	"player_version" varchar(64) DEFAULT '' NOT NULL,
	"width" integer DEFAULT 0 NOT NULL,
	"height" integer DEFAULT 0 NOT NULL,
	"codecs" varchar(32)[] DEFAULT '{}'::varchar[] NOT NULL,
	"time_zone" varchar(40) DEFAULT '' NOT NULL,
	"audience_factor" numeric(6, 2) DEFAULT 1 NOT NULL,
	"volume" smallint DEFAULT 100 NOT NULL,
	"applied_etag" varchar(64) DEFAULT '' NOT NULL,
	"ready_files" integer DEFAULT 0 NOT NULL,
	"total_files" integer DEFAULT 0 NOT NULL,
	"failed" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"free_bytes" bigint,
	"clock_offset_ms" bigint,
	"clock_state" smallint DEFAULT 0 NOT NULL,
	"offline_ready" smallint DEFAULT 1 NOT NULL,
	"now_playing" jsonb,
	"last_report_time" timestamp (3) with time zone,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ad_screens" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_materials" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"ad_id" integer,
	"sort" smallint DEFAULT 0 NOT NULL,
	"file_id" varchar(32) NOT NULL,
	"file_name" varchar(255) DEFAULT '' NOT NULL,
	"sha256" varchar(64) NOT NULL,
	"md5" varchar(32) NOT NULL,
	"mime" varchar(64) NOT NULL,
	"size" bigint NOT NULL,
	"width" integer DEFAULT 0 NOT NULL,
	"height" integer DEFAULT 0 NOT NULL,
	"rotation" smallint DEFAULT 0 NOT NULL,
	"duration_ms" integer DEFAULT 0 NOT NULL,
	"codec" varchar(32) DEFAULT '' NOT NULL,
	"fps" numeric(6, 2) DEFAULT 0 NOT NULL,
	"bitrate" integer DEFAULT 0 NOT NULL,
	"has_audio" smallint DEFAULT 0 NOT NULL,
	"thumb_file_id" varchar(32) DEFAULT '' NOT NULL,
	"chunk_hashes" varchar(64)[] DEFAULT '{}'::varchar[] NOT NULL,
	"page_file_id" varchar(32) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "ad_materials" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_program_versions" (
	"program_id" integer NOT NULL,
	"ver_no" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"body" jsonb NOT NULL,
	"target_type" smallint NOT NULL,
	"target_ids" integer[] NOT NULL,
	"booked_plays" integer DEFAULT 0 NOT NULL,
	"booked_per" smallint DEFAULT 1 NOT NULL,
	"state" smallint NOT NULL,
	"screens" integer DEFAULT 0 NOT NULL,
	"publish_by" integer NOT NULL,
	"publish_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	CONSTRAINT "ad_program_versions_pk" PRIMARY KEY("program_id","ver_no")
);
--> statement-breakpoint
ALTER TABLE "ad_program_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_programs" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"program_name" varchar(32) NOT NULL,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"items" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"play_mode" smallint DEFAULT 1 NOT NULL,
	"priority" smallint DEFAULT 0 NOT NULL,
	"insert_mode" smallint DEFAULT 0 NOT NULL,
	"share_of_voice" smallint,
	"date_from" date NOT NULL,
	"date_to" date NOT NULL,
	"weekdays" smallint DEFAULT 127 NOT NULL,
	"day_parts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"target_type" smallint DEFAULT 1 NOT NULL,
	"target_ids" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"resolution" varchar(16) DEFAULT '' NOT NULL,
	"total_duration" integer DEFAULT 0 NOT NULL,
	"booked_plays" integer DEFAULT 0 NOT NULL,
	"booked_per" smallint DEFAULT 1 NOT NULL,
	"is_default" smallint DEFAULT 0 NOT NULL,
	"ver_no" integer DEFAULT 0 NOT NULL,
	"published_ver" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "ad_programs_dates_order" CHECK (date_from <= date_to)
);
--> statement-breakpoint
ALTER TABLE "ad_programs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_uses" (
	"program_id" integer NOT NULL,
	"ad_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	CONSTRAINT "ad_uses_pk" PRIMARY KEY("program_id","ad_id")
);
--> statement-breakpoint
ALTER TABLE "ad_uses" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_versions" (
	"ad_id" integer NOT NULL,
	"ver_no" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"body" jsonb NOT NULL,
	"content_hash" varchar(64) NOT NULL,
	"uploaders" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"submit_by" integer NOT NULL,
	"submit_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"audit_status" smallint DEFAULT 1 NOT NULL,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"checks" varchar(20)[] DEFAULT '{}'::varchar[] NOT NULL,
	CONSTRAINT "ad_versions_pk" PRIMARY KEY("ad_id","ver_no")
);
--> statement-breakpoint
ALTER TABLE "ad_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ads" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"ad_name" varchar(32) NOT NULL,
	"ad_type" smallint NOT NULL,
	"orientation" smallint DEFAULT 0 NOT NULL,
	"duration" integer DEFAULT 10 NOT NULL,
	"link_url" varchar(255) DEFAULT '' NOT NULL,
	"text" jsonb,
	"advertiser" varchar(50) DEFAULT '' NOT NULL,
	"contract_no" varchar(50) DEFAULT '' NOT NULL,
	"category_id" smallint,
	"approval_no" varchar(50) DEFAULT '' NOT NULL,
	"approval_until" date,
	"proofs" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"valid_from" date,
	"valid_to" date,
	"tags" varchar(20)[] DEFAULT '{}'::varchar[] NOT NULL,
	"thumb" varchar(32) DEFAULT '' NOT NULL,
	"audit_status" smallint DEFAULT 0 NOT NULL,
	"ver_no" integer DEFAULT 0 NOT NULL,
	"approved_ver" integer DEFAULT 0 NOT NULL,
	"enable_stat" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "ads" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE INDEX "ad_play_days_tenant" ON "ad_play_days" USING btree ("tenant_id","day");--> statement-breakpoint
CREATE INDEX "ad_play_days_ad" ON "ad_play_days" USING btree ("ad_id","day");--> statement-breakpoint
CREATE INDEX "ad_play_days_program" ON "ad_play_days" USING btree ("program_id","day");--> statement-breakpoint
CREATE INDEX "ad_plays_start" ON "ad_plays" USING btree ("device_id","start_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "ad_pairings_code" ON "ad_pairings" USING btree ("code");--> statement-breakpoint
CREATE INDEX "ad_pairings_address" ON "ad_pairings" USING btree ("address");--> statement-breakpoint
CREATE INDEX "ad_pairings_expire" ON "ad_pairings" USING btree ("expire_time");--> statement-breakpoint
CREATE UNIQUE INDEX "ad_screens_token" ON "ad_screens" USING btree ("player_token_hash") WHERE player_token_hash <> '';--> statement-breakpoint
CREATE UNIQUE INDEX "ad_screens_smil" ON "ad_screens" USING btree ("smil_key_hash") WHERE smil_key_hash <> '';--> statement-breakpoint
CREATE INDEX "ad_screens_created" ON "ad_screens" USING btree ("create_time","device_id");--> statement-breakpoint
CREATE INDEX "ad_screens_tenant" ON "ad_screens" USING btree ("tenant_id","device_id");--> statement-breakpoint
CREATE INDEX "ad_screens_report" ON "ad_screens" USING btree ("last_report_time","device_id");--> statement-breakpoint
CREATE INDEX "ad_materials_ad" ON "ad_materials" USING btree ("ad_id","sort");--> statement-breakpoint
CREATE INDEX "ad_materials_sha" ON "ad_materials" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "ad_materials_file" ON "ad_materials" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "ad_program_versions_state" ON "ad_program_versions" USING btree ("state","program_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ad_programs_default" ON "ad_programs" USING btree ("tenant_id") WHERE is_default = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "ad_programs_created" ON "ad_programs" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "ad_programs_tenant" ON "ad_programs" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "ad_programs_status" ON "ad_programs" USING btree ("status","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ad_programs_dates" ON "ad_programs" USING btree ("date_from","id");--> statement-breakpoint
CREATE INDEX "ad_uses_ad" ON "ad_uses" USING btree ("ad_id");--> statement-breakpoint
CREATE INDEX "ads_created" ON "ads" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "ads_tenant" ON "ads" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "ads_audit" ON "ads" USING btree ("audit_status","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ads_valid" ON "ads" USING btree ("valid_to","id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_fresh" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_hours" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_plays" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_rejects" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_screens" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_materials" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_program_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_programs" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_uses" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ads" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
--> statement-breakpoint
-- Plays of days without a partition.
CREATE TABLE ad_plays_other PARTITION OF ad_plays DEFAULT;
--> statement-breakpoint
-- Policies of the parent do not hold when a partition is named directly, so tenants have no rights on partitions.
REVOKE ALL ON ad_plays_other FROM oms_tenant;
--> statement-breakpoint
-- Creates the partitions of `ad_plays` for these UTC days.
CREATE FUNCTION oms_ensure_play_days(days date[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  one date;
  part text;
BEGIN
  FOREACH one IN ARRAY days LOOP
    part := 'ad_plays_' || to_char(one, 'YYYYMMDD');
    IF to_regclass(part) IS NULL THEN
      PERFORM pg_advisory_xact_lock(7302519, 5);
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF ad_plays FOR VALUES FROM (%L) TO (%L)', part, one, one + 1);
      EXECUTE format('REVOKE ALL ON %I FROM oms_tenant', part);
    END IF;
  END LOOP;
END $$;
--> statement-breakpoint
-- Keeps the names of ads and programs for the statistics, after their deletion too.
CREATE FUNCTION oms_ad_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  VALUES (1, NEW.id, NEW.ad_name, (NEW.deleted_at IS NOT NULL)::int)
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ads_name AFTER INSERT OR UPDATE OF ad_name, deleted_at ON ads FOR EACH ROW EXECUTE FUNCTION oms_ad_name();
--> statement-breakpoint
CREATE FUNCTION oms_ad_program_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO ad_names (kind, id, name, deleted)
  VALUES (2, NEW.id, NEW.program_name, (NEW.deleted_at IS NOT NULL)::int)
  ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, deleted = excluded.deleted;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ad_programs_name AFTER INSERT OR UPDATE OF program_name, deleted_at ON ad_programs
  FOR EACH ROW EXECUTE FUNCTION oms_ad_program_name();
