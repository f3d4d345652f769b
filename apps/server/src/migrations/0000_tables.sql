-- drizzle-kit generates the tables from `schema/*.ts`. Written by hand are PARTITION BY, and the extension, the role
-- and the collation that the statements need. `test/calls/schema.test.ts` compares the migrated database with
-- `schema/*.ts`.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- A request of a tenant's account runs as role `oms_tenant`. Row-level security shows the role only the rows of the tenant in
-- the setting `oms.tenant`. The owner of the tables (platform staff, jobs, devices) is not restricted.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'oms_tenant') THEN
    CREATE ROLE oms_tenant NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'oms_tenant', 'MEMBER') THEN
    EXECUTE format('GRANT oms_tenant TO %I', current_user);
  END IF;
END $$;
--> statement-breakpoint
-- Names sort in pinyin order. A PostgreSQL without ICU keeps the order of code points.
DO $$ BEGIN
  CREATE COLLATION oms_names (provider = icu, locale = 'zh');
EXCEPTION WHEN feature_not_supported OR undefined_object OR invalid_parameter_value THEN
  CREATE COLLATION oms_names FROM "C";
END $$;
--> statement-breakpoint
CREATE TABLE "account_roles" (
	"uid" integer NOT NULL,
	"role_id" integer NOT NULL,
	CONSTRAINT "account_roles_pk" PRIMARY KEY("uid","role_id")
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"uid" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer,
	"account" varchar(30) NOT NULL,
	"realname" varchar(15) DEFAULT '' NOT NULL,
	"nickname" varchar(15) DEFAULT '' NOT NULL,
	"gender" smallint,
	"birthday" date,
	"profile" varchar(200) DEFAULT '' NOT NULL,
	"address" varchar(200) DEFAULT '' NOT NULL,
	"avatar" varchar(255) DEFAULT '' NOT NULL,
	"mobile_no" varchar(20),
	"email" varchar(50),
	"status" smallint DEFAULT 1 NOT NULL,
	"is_tenant_admin" boolean DEFAULT false NOT NULL,
	"password_hash" text NOT NULL,
	"pwd_update_time" timestamp (3) with time zone,
	"pwd_must_change" boolean DEFAULT false NOT NULL,
	"mfa_enabled" boolean DEFAULT false NOT NULL,
	"mfa_secret" text,
	"recovery_codes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"expire_time" timestamp (3) with time zone,
	"last_login_time" timestamp (3) with time zone,
	"last_login_ip" varchar(45),
	"login_count" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "api_tokens" (
	"id" serial PRIMARY KEY NOT NULL,
	"uid" integer NOT NULL,
	"name" varchar(30) NOT NULL,
	"prefix" varchar(12) NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"former_hash" "bytea",
	"former_until" timestamp (3) with time zone,
	"permissions" text[] NOT NULL,
	"nets" text[] NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"last_use_time" timestamp (3) with time zone,
	"last_use_ip" varchar(45) DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "challenges" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"kind" varchar(20) NOT NULL,
	"uid" integer,
	"answer_hash" "bytea" NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "display_links" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"name" varchar(30) NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"uid" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"revoke_time" timestamp (3) with time zone,
	"last_seen_time" timestamp (3) with time zone,
	"last_seen_ip" varchar(45) DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "login_failures" (
	"key" varchar(120) PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"last_time" timestamp (3) with time zone NOT NULL,
	"lock_until" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"uid" integer NOT NULL,
	"key" varchar(100) NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "preferences_pk" PRIMARY KEY("uid","key")
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"page" varchar(100) NOT NULL,
	"name" varchar(20) NOT NULL,
	"query" varchar(2000) NOT NULL,
	"columns" varchar(8000) NOT NULL,
	"shared" boolean DEFAULT false NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "saved_views" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "role_menus" (
	"role_id" integer NOT NULL,
	"menu_id" integer NOT NULL,
	CONSTRAINT "role_menus_pk" PRIMARY KEY("role_id","menu_id")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"role_name" varchar(30) NOT NULL,
	"role_code" varchar(50) NOT NULL,
	"role_sort" integer DEFAULT 0 NOT NULL,
	"data_scope" smallint DEFAULT 2 NOT NULL,
	"scope_ids" integer[] DEFAULT '{}' NOT NULL,
	"home_url" varchar(200) DEFAULT '' NOT NULL,
	"is_builtin" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" varchar(32) PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"cookie_hash" "bytea",
	"uid" integer NOT NULL,
	"tenant_id" integer,
	"ip" varchar(45) NOT NULL,
	"user_agent" varchar(512) NOT NULL,
	"browser" varchar(50) DEFAULT '' NOT NULL,
	"os" varchar(50) DEFAULT '' NOT NULL,
	"login_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_active_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"end_time" timestamp (3) with time zone,
	"end_reason" varchar(20)
);
--> statement-breakpoint
CREATE TABLE "ad_former_members" (
	"group_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	CONSTRAINT "ad_former_members_pk" PRIMARY KEY("group_id","device_id")
);
--> statement-breakpoint
ALTER TABLE "ad_former_members" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
	"exposure" bigint NOT NULL,
	"first_start" bigint NOT NULL,
	"last_end" bigint NOT NULL,
	CONSTRAINT "ad_play_days_pk" PRIMARY KEY("day","device_id","program_id","ad_id","tenant_id")
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
CREATE TABLE "ad_screen_periods" (
	"device_id" integer NOT NULL,
	"from_time" timestamp (3) with time zone NOT NULL,
	"until_time" timestamp (3) with time zone,
	"tenant_id" integer NOT NULL,
	"create_by" integer,
	"audience_factor" numeric(6, 2) NOT NULL,
	CONSTRAINT "ad_screen_periods_pk" PRIMARY KEY("device_id","from_time")
);
--> statement-breakpoint
ALTER TABLE "ad_screen_periods" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "ad_screens" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"player_kind" smallint NOT NULL,
	"player_token_hash" varchar(64) DEFAULT '' NOT NULL,
	"smil_key_hash" varchar(64) DEFAULT '' NOT NULL,
	"smil_uuid" varchar(64) DEFAULT '' NOT NULL,
	"smil_replaced" smallint DEFAULT 0 NOT NULL,
	"player_version" varchar(64) DEFAULT '' NOT NULL,
	"smil_media" varchar(24)[] DEFAULT '{}'::varchar[] NOT NULL,
	"held_media" varchar(24)[] DEFAULT '{}'::varchar[] NOT NULL,
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
	"fail_notice_time" timestamp (3) with time zone,
	"free_bytes" bigint,
	"clock_offset_ms" bigint,
	"clock_state" smallint DEFAULT 0 NOT NULL,
	"offline_ready" smallint DEFAULT 1 NOT NULL,
	"muted" smallint DEFAULT 0 NOT NULL,
	"covered" smallint DEFAULT 0 NOT NULL,
	"now_playing" jsonb,
	"playing_time" timestamp (3) with time zone,
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
	"poster_file_id" varchar(32) DEFAULT '' NOT NULL,
	"probe_state" smallint DEFAULT 0 NOT NULL,
	"probe_error" varchar(200) DEFAULT '' NOT NULL,
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
	"resolution" varchar(16) DEFAULT '' NOT NULL,
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
	"is_default" smallint DEFAULT 0 NOT NULL,
	"ver_no" integer DEFAULT 0 NOT NULL,
	"published_ver" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"delivered_ver" integer DEFAULT 0 NOT NULL,
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
CREATE TABLE "agent_codes" (
	"mac" varchar(12) PRIMARY KEY NOT NULL,
	"code" varchar(6) NOT NULL,
	"board" varchar(50) DEFAULT '' NOT NULL,
	"version" varchar(20) DEFAULT '' NOT NULL,
	"client_id" varchar(64) DEFAULT '' NOT NULL,
	"serial" varchar(64) DEFAULT '' NOT NULL,
	"ip" varchar(45) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_contacts" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"mac" varchar(12) NOT NULL,
	"target_mac" varchar(12) NOT NULL,
	"alias" varchar(64) NOT NULL,
	"allowed" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_contacts" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_devices" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"mac" varchar(12) NOT NULL,
	"board" varchar(50) DEFAULT '' NOT NULL,
	"client_id" varchar(64) DEFAULT '' NOT NULL,
	"serial" varchar(64) DEFAULT '' NOT NULL,
	"alias" varchar(64) DEFAULT '' NOT NULL,
	"auto_update" smallint DEFAULT 1 NOT NULL,
	"app_version" varchar(20) DEFAULT '' NOT NULL,
	"memory" varchar(2000) DEFAULT '' NOT NULL,
	"memory_edit_time" timestamp (3) with time zone,
	"boot_time" timestamp (3) with time zone,
	"session_time" timestamp (3) with time zone,
	"server_address" varchar(45) DEFAULT '' NOT NULL,
	"server_client" varchar(64) DEFAULT '' NOT NULL,
	"turn_time" timestamp (3) with time zone,
	"close_time" timestamp (3) with time zone,
	"session_id" varchar(50) DEFAULT '' NOT NULL,
	"identity_note" varchar(200) DEFAULT '' NOT NULL,
	"other_client_id" varchar(64) DEFAULT '' NOT NULL,
	"other_client_time" timestamp (3) with time zone,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_devices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"mac" varchar(12) NOT NULL,
	"tenant_id" integer,
	"kind" smallint NOT NULL,
	"detail" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_identity_keys" (
	"serial" varchar(64) PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"key_encrypted" varchar(300) NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_identity_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_params" (
	"tenant_id" integer NOT NULL,
	"code" varchar(100) NOT NULL,
	"value" text DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_params_pk" PRIMARY KEY("tenant_id","code")
);
--> statement-breakpoint
ALTER TABLE "agent_params" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_reminders" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"content" varchar(200) NOT NULL,
	"remind_time" timestamp (3) with time zone NOT NULL,
	"told_time" timestamp (3) with time zone,
	"told_count" smallint DEFAULT 0 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_reminders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_servers" (
	"tenant_id" integer NOT NULL,
	"address" varchar(45) NOT NULL,
	"client" varchar(64) NOT NULL,
	"first_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"base_time" timestamp (3) with time zone,
	CONSTRAINT "agent_servers_pk" PRIMARY KEY("tenant_id","address","client")
);
--> statement-breakpoint
ALTER TABLE "agent_servers" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_after" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"session_row_id" bigint NOT NULL,
	"kind" smallint NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"error" varchar(300) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"next_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_after" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_sessions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"session_id" varchar(50) NOT NULL,
	"device_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"version_no" integer DEFAULT 0 NOT NULL,
	"title" varchar(255) DEFAULT '' NOT NULL,
	"first_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"turns" integer DEFAULT 0 NOT NULL,
	"characters" integer DEFAULT 0 NOT NULL,
	"seconds" numeric(10, 1) DEFAULT 0 NOT NULL,
	"tokens" integer DEFAULT 0 NOT NULL,
	"end_time" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_sessions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_turns" (
	"report_time" timestamp (3) with time zone NOT NULL,
	"id" bigserial NOT NULL,
	"tenant_id" integer NOT NULL,
	"session_row_id" bigint NOT NULL,
	"device_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"content_md5" varchar(32) NOT NULL,
	"characters" integer DEFAULT 0 NOT NULL,
	"speaker" varchar(64) DEFAULT '' NOT NULL,
	"audio_id" varchar(32) DEFAULT '' NOT NULL,
	"seconds" numeric(7, 1) DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_turns_pk" PRIMARY KEY("report_time","id")
) PARTITION BY RANGE ("report_time");
--> statement-breakpoint
ALTER TABLE "agent_turns" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_voiceprints" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"name" varchar(50) NOT NULL,
	"introduction" varchar(100) DEFAULT '' NOT NULL,
	"turn_id" bigint,
	"audio_id" varchar(32) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_voiceprints" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"type" varchar(16) NOT NULL,
	"code" varchar(32) NOT NULL,
	"name" varchar(50) NOT NULL,
	"provider_code" varchar(50) NOT NULL,
	"config" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"is_default" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"doc_link" varchar(200) DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"price_in" integer DEFAULT 0 NOT NULL,
	"price_out" integer DEFAULT 0 NOT NULL,
	"relay" smallint DEFAULT 0 NOT NULL,
	"fallback_model_id" integer,
	"shared" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_models" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_providers" (
	"id" serial PRIMARY KEY NOT NULL,
	"type" varchar(16) NOT NULL,
	"code" varchar(50) NOT NULL,
	"name" varchar(50) NOT NULL,
	"fields" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"is_builtin" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_secrets" (
	"owner_kind" smallint NOT NULL,
	"owner_id" integer NOT NULL,
	"field" varchar(100) NOT NULL,
	"tenant_id" integer NOT NULL,
	"encrypted" varchar(4000) NOT NULL,
	"last_four" varchar(4) DEFAULT '' NOT NULL,
	"value_hash" "bytea",
	"valid_until" timestamp (3) with time zone,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_secrets_pk" PRIMARY KEY("owner_kind","owner_id","field")
);
--> statement-breakpoint
ALTER TABLE "agent_secrets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_voice_clones" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"name" varchar(64) NOT NULL,
	"voice_id" varchar(32) DEFAULT '' NOT NULL,
	"file_id" varchar(32) DEFAULT '' NOT NULL,
	"file_name" varchar(255) DEFAULT '' NOT NULL,
	"seconds" smallint DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"error" varchar(255) DEFAULT '' NOT NULL,
	"consent_speaker" varchar(50) NOT NULL,
	"consent_time" timestamp (3) with time zone NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_voice_clones" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_voices" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"name" varchar(20) NOT NULL,
	"code" varchar(50) NOT NULL,
	"languages" varchar(50) DEFAULT '' NOT NULL,
	"demo_file_id" varchar(32) DEFAULT '' NOT NULL,
	"demo_url" varchar(500) DEFAULT '' NOT NULL,
	"reference_audio" varchar(500) DEFAULT '' NOT NULL,
	"reference_text" varchar(500) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_voices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_grants" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"scope" smallint NOT NULL,
	"target_id" integer NOT NULL,
	"target_name" varchar(64) NOT NULL,
	"pack_no" smallint NOT NULL,
	"unit" smallint NOT NULL,
	"is_unlimited" smallint NOT NULL,
	"total" bigint NOT NULL,
	"remaining" bigint NOT NULL,
	"spent" bigint DEFAULT 0 NOT NULL,
	"lapsed" bigint DEFAULT 0 NOT NULL,
	"refunded" bigint DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"is_frozen" smallint DEFAULT 0 NOT NULL,
	"valid_days" integer NOT NULL,
	"activate_until" timestamp (3) with time zone NOT NULL,
	"begin_time" timestamp (3) with time zone,
	"valid_until" timestamp (3) with time zone,
	"warned_days" smallint,
	"warned_share" smallint,
	"low_share" smallint GENERATED ALWAYS AS (case when is_unlimited = 1 then null when remaining * 20 <= total then 5 when remaining * 5 <= total then 20 end) STORED,
	"create_time" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_grants_sum" CHECK (total = remaining + spent + lapsed + refunded),
	CONSTRAINT "agent_grants_amounts" CHECK (remaining >= 0 and spent >= 0 and lapsed >= 0 and refunded >= 0),
	CONSTRAINT "agent_grants_over" CHECK (state < 2 or remaining = 0)
);
--> statement-breakpoint
ALTER TABLE "agent_grants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"grant_id" bigint NOT NULL,
	"order_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" bigint NOT NULL,
	"day" date NOT NULL,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_ledger_line" CHECK (kind between 1 and 4 and amount >= 0 or kind = 5 and amount <> 0 and reason <> '')
);
--> statement-breakpoint
ALTER TABLE "agent_ledger" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_order_refunds" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"amount" integer NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"reason" varchar(200) NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_order_refunds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_order_targets" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"line" integer NOT NULL,
	"target_id" integer NOT NULL,
	"name" varchar(64) NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_order_targets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_orders" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"target_count" integer NOT NULL,
	"copies" integer NOT NULL,
	"unit_price" integer NOT NULL,
	"discount" integer DEFAULT 0 NOT NULL,
	"discount_reason" varchar(200) DEFAULT '' NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"pay_way" smallint DEFAULT 0 NOT NULL,
	"voucher_no" varchar(64) DEFAULT '' NOT NULL,
	"voucher_files" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"pay_by" integer,
	"pay_time" timestamp (3) with time zone,
	"close_reason" varchar(200) DEFAULT '' NOT NULL,
	"close_time" timestamp (3) with time zone,
	"finish_time" timestamp (3) with time zone,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_orders_money" CHECK (amount >= 0 and discount >= 0 and refunded between 0 and amount)
);
--> statement-breakpoint
ALTER TABLE "agent_orders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_trials" (
	"sn" varchar(64) PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"mac" varchar(12) NOT NULL,
	"order_id" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_trials" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_product_versions" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_id" integer NOT NULL,
	"version" integer NOT NULL,
	"price" integer NOT NULL,
	"origin_price" integer DEFAULT 0 NOT NULL,
	"is_trial" smallint DEFAULT 0 NOT NULL,
	"model_ids" integer[] DEFAULT '{}' NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"is_sold" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"allowances" jsonb NOT NULL,
	"scope" smallint NOT NULL,
	"activate_days" integer NOT NULL,
	"valid_days" integer NOT NULL,
	CONSTRAINT "agent_product_versions_terms" CHECK (price >= 0 and scope between 1 and 3 and activate_days > 0 and valid_days > 0)
);
--> statement-breakpoint
CREATE TABLE "agent_products" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"package_code" varchar(32) NOT NULL,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"current_version" integer DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "agent_try_days" (
	"tenant_id" integer NOT NULL,
	"day" date NOT NULL,
	"calls" integer DEFAULT 0 NOT NULL,
	"tokens_in" integer DEFAULT 0 NOT NULL,
	"tokens_out" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "agent_try_days_pk" PRIMARY KEY("tenant_id","day")
);
--> statement-breakpoint
ALTER TABLE "agent_try_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_completions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_completions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_usage" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"unit" smallint NOT NULL,
	"is_estimate" smallint DEFAULT 0 NOT NULL,
	"n" numeric(18, 1) NOT NULL,
	"cost" numeric(18, 6) DEFAULT 0 NOT NULL,
	"used_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"folded" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_usage" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_templates" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"template_name" varchar(64) NOT NULL,
	"llm_id" integer,
	"vllm_id" integer,
	"slm_id" integer,
	"tts_id" integer,
	"asr_id" integer,
	"vad_id" integer,
	"mem_id" integer,
	"intent_id" integer,
	"voice_id" integer,
	"clone_id" integer,
	"tts_language" varchar(50) DEFAULT '' NOT NULL,
	"tts_volume" smallint,
	"tts_rate" smallint,
	"tts_pitch" smallint,
	"system_prompt" varchar(2000) DEFAULT '' NOT NULL,
	"chat_history_conf" smallint DEFAULT 2 NOT NULL,
	"memory_scope" smallint DEFAULT 1 NOT NULL,
	"lang_code" varchar(10) DEFAULT 'zh' NOT NULL,
	"language" varchar(10) DEFAULT '中文' NOT NULL,
	"plugins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"context_providers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"use_count" integer DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_templates" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_versions" (
	"agent_id" integer NOT NULL,
	"version_no" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"snapshot" jsonb NOT NULL,
	"changed" varchar(50)[] DEFAULT '{}'::varchar[] NOT NULL,
	"source" smallint NOT NULL,
	"note" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_versions_pk" PRIMARY KEY("agent_id","version_no")
);
--> statement-breakpoint
ALTER TABLE "agent_versions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_word_files" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"name" varchar(256) NOT NULL,
	"lines" text[] DEFAULT '{}'::text[] NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_word_files" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agents" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_code" varchar(36) NOT NULL,
	"agent_name" varchar(64) NOT NULL,
	"llm_id" integer,
	"vllm_id" integer,
	"slm_id" integer,
	"tts_id" integer,
	"asr_id" integer,
	"vad_id" integer,
	"mem_id" integer,
	"intent_id" integer,
	"voice_id" integer,
	"clone_id" integer,
	"tts_language" varchar(50) DEFAULT '' NOT NULL,
	"tts_volume" smallint,
	"tts_rate" smallint,
	"tts_pitch" smallint,
	"system_prompt" varchar(2000) DEFAULT '' NOT NULL,
	"chat_history_conf" smallint DEFAULT 2 NOT NULL,
	"memory_scope" smallint DEFAULT 1 NOT NULL,
	"lang_code" varchar(10) DEFAULT 'zh' NOT NULL,
	"language" varchar(10) DEFAULT '中文' NOT NULL,
	"plugins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"context_providers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"context_facts" varchar(16)[] DEFAULT '{}'::varchar[] NOT NULL,
	"tools" varchar(16)[] DEFAULT '{}'::varchar[] NOT NULL,
	"word_file_ids" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"tags" varchar(20)[] DEFAULT '{}'::varchar[] NOT NULL,
	"memory" varchar(2000) DEFAULT '' NOT NULL,
	"memory_edit_time" timestamp (3) with time zone,
	"version_no" integer DEFAULT 1 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "device_access" (
	"tenant_id" integer PRIMARY KEY NOT NULL,
	"target_token" smallint DEFAULT 1 NOT NULL,
	"gateway_token" smallint DEFAULT 0 NOT NULL,
	"gateway_token_hash" "bytea",
	"auto_model_id" integer,
	"poll_seconds" integer DEFAULT 300 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_attributes" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_auto_confirms" (
	"device_id" integer PRIMARY KEY NOT NULL,
	"initiator" varchar(64) DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_former_tenants" (
	"device_id" integer NOT NULL,
	"end_time" timestamp (3) with time zone NOT NULL,
	"tenant_id" integer NOT NULL,
	CONSTRAINT "device_former_tenants_pk" PRIMARY KEY("device_id","end_time")
);
--> statement-breakpoint
ALTER TABLE "device_former_tenants" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "device_group_members" (
	"group_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	CONSTRAINT "device_group_members_pk" PRIMARY KEY("group_id","device_id")
);
--> statement-breakpoint
CREATE TABLE "device_groups" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"parent_id" integer DEFAULT 0 NOT NULL,
	"group_name" varchar(30) NOT NULL,
	"kind" smallint DEFAULT 1 NOT NULL,
	"rule" jsonb,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "device_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"type_id" integer NOT NULL,
	"model_name" varchar(32) NOT NULL,
	"model_code" varchar(32) NOT NULL,
	"picture" varchar(255) DEFAULT '' NOT NULL,
	"hw_version" varchar(32) DEFAULT '' NOT NULL,
	"chip" varchar(32) DEFAULT '' NOT NULL,
	"cloud_channels" smallint DEFAULT 0 NOT NULL,
	"boards" text[] DEFAULT '{}'::text[] NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "device_packages" (
	"device_id" integer NOT NULL,
	"package_name" varchar(64) NOT NULL,
	"ver_code" integer NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "device_packages_pk" PRIMARY KEY("device_id","package_name")
);
--> statement-breakpoint
CREATE TABLE "device_types" (
	"id" serial PRIMARY KEY NOT NULL,
	"type_name" varchar(32) NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"icon" varchar(255) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "device_versions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"device_id" integer NOT NULL,
	"ver_code" integer NOT NULL,
	"source" smallint DEFAULT 1 NOT NULL,
	"task_id" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"dev_name" varchar(64) DEFAULT '' NOT NULL,
	"uid" varchar(64) DEFAULT '' NOT NULL,
	"mac" varchar(12) DEFAULT '' NOT NULL,
	"imei" varchar(15) DEFAULT '' NOT NULL,
	"ver_code" integer,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"app_ver" varchar(64) DEFAULT '' NOT NULL,
	"hw_ver" varchar(64) DEFAULT '' NOT NULL,
	"ip" varchar(45) DEFAULT '' NOT NULL,
	"region" varchar(64) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"online" smallint DEFAULT 0 NOT NULL,
	"last_online_time" timestamp (3) with time zone,
	"activate_time" timestamp (3) with time zone,
	"warranty_end" date,
	"token_hash" "bytea",
	"attributes_wanted" smallint DEFAULT 1 NOT NULL,
	"app_account_id" integer,
	"owner_time" timestamp (3) with time zone,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "file_claims" (
	"sha256" varchar(64) PRIMARY KEY NOT NULL,
	"claim_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "fleet_counts" (
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"ver_code" integer NOT NULL,
	"region" varchar(64) NOT NULL,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"devices" integer NOT NULL,
	"online" integer NOT NULL,
	"inactive" integer NOT NULL,
	"disabled" integer NOT NULL,
	"activated" integer NOT NULL,
	"activated_today" integer NOT NULL,
	"created_today" integer NOT NULL,
	"count_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "fleet_counts_pk" PRIMARY KEY("tenant_id","model_id","ver_code","region")
);
--> statement-breakpoint
CREATE TABLE "fleet_samples" (
	"span" smallint NOT NULL,
	"start" timestamp (3) with time zone NOT NULL,
	"tenant_id" integer NOT NULL,
	"devices" integer NOT NULL,
	"online" integer NOT NULL,
	CONSTRAINT "fleet_samples_pk" PRIMARY KEY("span","start","tenant_id")
);
--> statement-breakpoint
CREATE TABLE "outbox_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"event_id" varchar(40) NOT NULL,
	"type" varchar(40) NOT NULL,
	"data" jsonb NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"dispatch_time" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "outbox_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"event_tenant_id" integer NOT NULL,
	"endpoint_id" integer NOT NULL,
	"event_id" varchar(40) NOT NULL,
	"event_type" varchar(40) NOT NULL,
	"body" text NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"http_status" smallint,
	"answer" varchar(1000) DEFAULT '' NOT NULL,
	"next_time" timestamp (3) with time zone DEFAULT now(),
	"attempt_time" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"name" varchar(30) NOT NULL,
	"kind" varchar(10) NOT NULL,
	"url_encrypted" text NOT NULL,
	"address" varchar(300) NOT NULL,
	"events" varchar(40)[] NOT NULL,
	"secret_encrypted" varchar(500) DEFAULT '' NOT NULL,
	"former_encrypted" varchar(500) DEFAULT '' NOT NULL,
	"former_until" timestamp (3) with time zone,
	"state" smallint DEFAULT 1 NOT NULL,
	"state_reason" varchar(200) DEFAULT '' NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failed_since" timestamp (3) with time zone,
	"last_time" timestamp (3) with time zone,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "license_batches" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_no" varchar(32) NOT NULL,
	"vendor" smallint NOT NULL,
	"order_no" varchar(50) DEFAULT '' NOT NULL,
	"file_name" varchar(255) DEFAULT '' NOT NULL,
	"file_hash" varchar(64),
	"total" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"batch_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"state" smallint NOT NULL,
	"expire_month" date,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"license_id" integer NOT NULL,
	"action" varchar(16) NOT NULL,
	"from_state" smallint,
	"to_state" smallint NOT NULL,
	"tenant_id" integer,
	"device_id" integer,
	"device_sn" varchar(64) DEFAULT '' NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_flows" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"batch_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_grants" (
	"id" serial PRIMARY KEY NOT NULL,
	"grant_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"model_id" integer,
	"quota" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"valid_from" date NOT NULL,
	"valid_to" date NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"contract_no" varchar(50) DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"apply_by" integer,
	"apply_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_by" integer,
	"audit_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "license_grants_used" CHECK (used >= 0 and used <= quota)
);
--> statement-breakpoint
CREATE TABLE "license_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"grant_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" integer NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "license_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
CREATE TABLE "license_tenant_thresholds" (
	"tenant_id" integer PRIMARY KEY NOT NULL,
	"threshold" integer,
	"warned" smallint DEFAULT 0 NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "license_thresholds" (
	"vendor" smallint PRIMARY KEY NOT NULL,
	"threshold" integer DEFAULT 0 NOT NULL,
	"warned" smallint DEFAULT 0 NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "licenses" (
	"id" serial PRIMARY KEY NOT NULL,
	"uid" varchar(64) NOT NULL,
	"vendor" smallint NOT NULL,
	"type_code" varchar(32) NOT NULL,
	"key_sealed" text DEFAULT '' NOT NULL,
	"batch_id" integer NOT NULL,
	"tenant_id" integer,
	"model_id" integer,
	"device_id" integer,
	"grant_id" integer,
	"state" smallint DEFAULT 0 NOT NULL,
	"import_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"allot_time" timestamp (3) with time zone,
	"bind_time" timestamp (3) with time zone,
	"activate_time" timestamp (3) with time zone,
	"expire_time" timestamp (3) with time zone,
	"warned_days" smallint,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "licenses_state_known" CHECK (state between 0 and 6),
	CONSTRAINT "licenses_stock_free" CHECK (state <> 0 or (tenant_id is null and device_id is null)),
	CONSTRAINT "licenses_bound" CHECK (state not in (2, 3) or (tenant_id is not null and device_id is not null))
);
--> statement-breakpoint
CREATE TABLE "ota_components" (
	"id" serial PRIMARY KEY NOT NULL,
	"ota_id" integer NOT NULL,
	"sort" smallint DEFAULT 0 NOT NULL,
	"name" varchar(15) NOT NULL,
	"type" smallint DEFAULT 1 NOT NULL,
	"file_id" varchar(32) NOT NULL,
	"file_name" varchar(200) NOT NULL,
	"url" varchar(255) NOT NULL,
	"size" bigint NOT NULL,
	"md5" varchar(32) NOT NULL,
	"sha1" varchar(40) NOT NULL,
	"sha256" varchar(64) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_versions" (
	"ota_id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"kind" smallint DEFAULT 1 NOT NULL,
	"package_name" varchar(64) DEFAULT '' NOT NULL,
	"ver_code" integer NOT NULL,
	"ver_name" varchar(32) NOT NULL,
	"build_date" timestamp,
	"release_date" timestamp NOT NULL,
	"description" varchar(500) DEFAULT '' NOT NULL,
	"old_ver_min" integer,
	"old_ver_max" integer,
	"components" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"enable_time" timestamp (3) with time zone,
	"enable_by" integer,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oss_app_keys" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"key_name" varchar(32) NOT NULL,
	"key_id" varchar(24) NOT NULL,
	"secret_encrypted" varchar(200) NOT NULL,
	"origins" varchar(100)[] DEFAULT '{}' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"session_epoch" integer DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "oss_app_keys" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_app_nonces" (
	"key_id" varchar(24) NOT NULL,
	"nonce" varchar(64) NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_app_nonces_pk" PRIMARY KEY("key_id","nonce")
);
--> statement-breakpoint
CREATE TABLE "oss_consents" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"app_account_id" integer,
	"source" smallint NOT NULL,
	"file_id" varchar(32),
	"note" varchar(200) DEFAULT '' NOT NULL,
	"range_begin" timestamp (3) with time zone NOT NULL,
	"range_end" timestamp (3) with time zone NOT NULL,
	"valid_until" timestamp (3) with time zone NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"withdraw_time" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_consents" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_views" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"app_account_id" integer,
	"consent_id" integer NOT NULL,
	"uid" integer NOT NULL,
	"oper_name" varchar(30) NOT NULL,
	"reason" varchar(200) NOT NULL,
	"begin_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"segments" integer NOT NULL,
	"ip" varchar(45) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_views" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "settings" (
	"key" varchar(50) PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_grant_files" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"file_name" varchar(255) NOT NULL,
	"file_hash" varchar(64) NOT NULL,
	"file_id" varchar(32),
	"package_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"effect_mode" smallint NOT NULL,
	"source" smallint NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"reason" varchar(200) NOT NULL,
	"lines" integer DEFAULT 0 NOT NULL,
	"devices" integer DEFAULT 0 NOT NULL,
	"copies" integer DEFAULT 0 NOT NULL,
	"tenant_ids" integer[] DEFAULT '{0}' NOT NULL,
	"list_price" bigint DEFAULT 0 NOT NULL,
	"state" smallint NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"checked" jsonb,
	"job_id" integer,
	"problems" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"failed_file_id" varchar(32),
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_grant_files" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_allowance_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"allowance_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"amount" integer NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_allowance_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
ALTER TABLE "oss_allowance_ledger" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_allowances" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"quota" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_allowances_used" CHECK (used >= 0 and used <= quota)
);
--> statement-breakpoint
ALTER TABLE "oss_allowances" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_card_attempts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"uid" integer NOT NULL,
	"ip" varchar(64) NOT NULL,
	"create_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_card_batches" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"count" integer NOT NULL,
	"unit_amount" integer DEFAULT 0 NOT NULL,
	"valid_to" date NOT NULL,
	"file_encrypted" text DEFAULT '' NOT NULL,
	"exported_time" timestamp (3) with time zone,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_card_batches" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_cards" (
	"id" serial PRIMARY KEY NOT NULL,
	"batch_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"code_hash" "bytea" NOT NULL,
	"tail" varchar(4) NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"used_by" integer,
	"used_time" timestamp (3) with time zone,
	"sn" varchar(64) DEFAULT '' NOT NULL,
	"entitlement_id" integer,
	CONSTRAINT "oss_cards_used" CHECK ((state = 1) = (entitlement_id is not null))
);
--> statement-breakpoint
ALTER TABLE "oss_cards" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_hook_events" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"event_id" varchar(64) NOT NULL,
	"type" varchar(32) NOT NULL,
	"out_order_no" varchar(64) NOT NULL,
	"sns" text[] DEFAULT '{}' NOT NULL,
	"body" text NOT NULL,
	"result" smallint NOT NULL,
	"message" varchar(200) DEFAULT '' NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_hook_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_hooks" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_name" varchar(50) NOT NULL,
	"secret_encrypted" text NOT NULL,
	"previous_encrypted" text DEFAULT '' NOT NULL,
	"rotate_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"price_free" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_hooks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_notices" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"kind" smallint DEFAULT 1 NOT NULL,
	"days" smallint NOT NULL,
	"end_time" timestamp (3) with time zone NOT NULL,
	"create_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_notices" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_order_items" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"line" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channels" smallint[] NOT NULL,
	"copies" smallint NOT NULL,
	"effect_mode" smallint NOT NULL,
	"unit_price" integer NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_order_items_refunded" CHECK (refunded >= 0 and refunded <= amount)
);
--> statement-breakpoint
ALTER TABLE "oss_order_items" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_orders" (
	"id" serial PRIMARY KEY NOT NULL,
	"order_no" varchar(20) NOT NULL,
	"out_order_no" varchar(64) NOT NULL,
	"tenant_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"amount" integer NOT NULL,
	"refunded" integer DEFAULT 0 NOT NULL,
	"pay_status" smallint DEFAULT 0 NOT NULL,
	"pay_time" timestamp (3) with time zone,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_orders_refunded" CHECK (refunded >= 0 and refunded <= amount)
);
--> statement-breakpoint
ALTER TABLE "oss_orders" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_refunds" (
	"id" serial PRIMARY KEY NOT NULL,
	"refund_no" varchar(20) NOT NULL,
	"tenant_id" integer NOT NULL,
	"order_id" integer NOT NULL,
	"item_id" integer NOT NULL,
	"hook_id" integer NOT NULL,
	"out_refund_no" varchar(64) DEFAULT '' NOT NULL,
	"amount" integer NOT NULL,
	"stops" smallint DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"origin" smallint NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"done_time" timestamp (3) with time zone,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_refunds_amount" CHECK (amount > 0)
);
--> statement-breakpoint
ALTER TABLE "oss_refunds" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_days" (
	"expire_day" date PRIMARY KEY NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"progress" smallint DEFAULT 0 NOT NULL,
	"objects" bigint DEFAULT 0 NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_device_days" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"entitlement_id" integer DEFAULT 0 NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"expire_days" date[] NOT NULL,
	"segments" integer NOT NULL,
	"events" integer DEFAULT 0 NOT NULL,
	"duration_ms" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"first_ms" bigint NOT NULL,
	"last_ms" bigint NOT NULL,
	"removed_segments" integer DEFAULT 0 NOT NULL,
	"removed_ms" bigint DEFAULT 0 NOT NULL,
	"removed_bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_device_days_pk" PRIMARY KEY("device_id","channel","day","tenant_id","owner_id","entitlement_id")
) PARTITION BY RANGE ("day");
--> statement-breakpoint
ALTER TABLE "oss_device_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_device_status" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"ask_time" timestamp (3) with time zone,
	"answer" varchar(16) DEFAULT '' NOT NULL,
	"upload_time" timestamp (3) with time zone,
	"trouble_time" timestamp (3) with time zone,
	"trouble_code" varchar(32) DEFAULT '' NOT NULL,
	"trouble_text" varchar(200) DEFAULT '' NOT NULL,
	CONSTRAINT "oss_device_status_pk" PRIMARY KEY("device_id","channel")
);
--> statement-breakpoint
ALTER TABLE "oss_device_status" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_events" (
	"expire_day" date NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"event_no" integer NOT NULL,
	"type" smallint NOT NULL,
	"start_ms" bigint NOT NULL,
	"end_ms" bigint NOT NULL,
	"picture_ms" bigint,
	"segments" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_events_pk" PRIMARY KEY("expire_day","device_id","channel","tenant_id","owner_id","event_no")
) PARTITION BY RANGE ("expire_day");
--> statement-breakpoint
ALTER TABLE "oss_events" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_purges" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint,
	"reason" smallint NOT NULL,
	"from_ms" bigint DEFAULT 0 NOT NULL,
	"until_ms" bigint NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"segments" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"done_time" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "oss_purges" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_segments" (
	"expire_day" date NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"start_ms" bigint NOT NULL,
	"duration_ms" integer NOT NULL,
	"bytes" integer NOT NULL,
	"session" integer DEFAULT 0 NOT NULL,
	"seq" integer DEFAULT 0 NOT NULL,
	"tenant_id" integer NOT NULL,
	"owner_id" integer DEFAULT 0 NOT NULL,
	"entitlement_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"init_bytes" integer DEFAULT 0 NOT NULL,
	"salt" integer NOT NULL,
	"day" date NOT NULL,
	"format" smallint NOT NULL,
	"record_type" smallint NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	CONSTRAINT "oss_segments_pk" PRIMARY KEY("expire_day","device_id","channel","kind","start_ms"),
	CONSTRAINT "oss_segments_size" CHECK (bytes > 0 and (kind = 2 or duration_ms > 0))
) PARTITION BY RANGE ("expire_day");
--> statement-breakpoint
ALTER TABLE "oss_segments" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_stored" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"expire_day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"segments" integer NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_stored" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_trouble_days" (
	"tenant_id" integer NOT NULL,
	"day" date NOT NULL,
	"channels" integer NOT NULL,
	CONSTRAINT "oss_trouble_days_pk" PRIMARY KEY("tenant_id","day")
);
--> statement-breakpoint
ALTER TABLE "oss_trouble_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_usage_days" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"segments" integer NOT NULL,
	"duration_ms" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"device_days" integer NOT NULL,
	"folded" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "oss_usage_days" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "oss_counts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"record_type" smallint NOT NULL,
	"source" smallint NOT NULL,
	"state" smallint NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_ends" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_entitlements" (
	"id" serial PRIMARY KEY NOT NULL,
	"ent_no" varchar(20) NOT NULL,
	"device_id" integer NOT NULL,
	"sn" varchar(64) NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"package_version_id" integer NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"package_code" varchar(32) NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	"period_type" smallint NOT NULL,
	"period_count" smallint NOT NULL,
	"source" smallint NOT NULL,
	"is_renewal" smallint DEFAULT 0 NOT NULL,
	"group_no" varchar(20) DEFAULT '' NOT NULL,
	"from_id" integer,
	"order_item_id" integer,
	"position" integer DEFAULT 0 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"start_time" timestamp (3) with time zone,
	"run_from" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone,
	"left_seconds" integer,
	"total_seconds" integer DEFAULT 0 NOT NULL,
	"used_seconds" integer DEFAULT 0 NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_entitlements_seconds" CHECK (used_seconds >= 0 and total_seconds >= used_seconds),
	CONSTRAINT "oss_entitlements_running" CHECK (state <> 1 or (run_from is not null and end_time is not null))
);
--> statement-breakpoint
CREATE TABLE "oss_flows" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"n" integer NOT NULL,
	"amount" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oss_ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"entitlement_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"package_id" integer NOT NULL,
	"source" smallint NOT NULL,
	"kind" smallint NOT NULL,
	"is_renewal" smallint DEFAULT 0 NOT NULL,
	"seconds" integer NOT NULL,
	"amount" integer DEFAULT 0 NOT NULL,
	"balance" integer NOT NULL,
	"uid" integer,
	"oper_name" varchar(30) DEFAULT '' NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"at_time" timestamp (3) with time zone NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oss_ledger_balance" CHECK (balance >= 0)
);
--> statement-breakpoint
CREATE TABLE "oss_package_versions" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_id" integer NOT NULL,
	"version" integer NOT NULL,
	"price" integer NOT NULL,
	"origin_price" integer DEFAULT 0 NOT NULL,
	"is_trial" smallint DEFAULT 0 NOT NULL,
	"model_ids" integer[] DEFAULT '{}' NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"is_sold" smallint DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	"period_type" smallint NOT NULL,
	"period_count" smallint NOT NULL,
	"channels" smallint DEFAULT 1 NOT NULL,
	"pre_record" smallint DEFAULT 0 NOT NULL,
	"event_record" smallint DEFAULT 0 NOT NULL,
	"prolong" smallint DEFAULT 0 NOT NULL,
	"day_limit_mb" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oss_package_versions_terms" CHECK (price >= 0 and period_count between 1 and 36 and channels between 1 and 64)
);
--> statement-breakpoint
CREATE TABLE "oss_packages" (
	"id" serial PRIMARY KEY NOT NULL,
	"package_name" varchar(32) NOT NULL,
	"package_code" varchar(32) NOT NULL,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"current_version" integer DEFAULT 1 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oss_queues" (
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"tenant_id" integer NOT NULL,
	"suspended" smallint DEFAULT 0 NOT NULL,
	"end_time" timestamp (3) with time zone,
	"last_package_id" integer DEFAULT 0 NOT NULL,
	"next_time" timestamp (3) with time zone,
	"switched_off" smallint DEFAULT 0 NOT NULL,
	"purged_end" timestamp (3) with time zone,
	"changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	CONSTRAINT "oss_queues_pk" PRIMARY KEY("device_id","channel")
);
--> statement-breakpoint
CREATE TABLE "oss_spans" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"entitlement_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"channel" smallint NOT NULL,
	"from_time" timestamp (3) with time zone NOT NULL,
	"to_time" timestamp (3) with time zone NOT NULL,
	"record_type" smallint NOT NULL,
	"storage_days" smallint NOT NULL,
	CONSTRAINT "oss_spans_order" CHECK (to_time > from_time)
);
--> statement-breakpoint
CREATE TABLE "dict_data" (
	"dict_code" serial PRIMARY KEY NOT NULL,
	"dict_type" varchar(100) NOT NULL,
	"dict_label" varchar(100) NOT NULL,
	"dict_value" varchar(100) NOT NULL,
	"dict_sort" integer DEFAULT 0 NOT NULL,
	"list_class" varchar(20) DEFAULT 'default' NOT NULL,
	"css_class" varchar(100) DEFAULT '' NOT NULL,
	"is_default" varchar(1) DEFAULT 'N' NOT NULL,
	"is_builtin" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(500) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "dict_types" (
	"dict_id" serial PRIMARY KEY NOT NULL,
	"dict_name" varchar(100) NOT NULL,
	"dict_type" varchar(100) NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"is_builtin" smallint DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"remark" varchar(500) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" varchar(32) PRIMARY KEY NOT NULL,
	"tenant_id" integer,
	"uid" integer,
	"purpose" varchar(20) NOT NULL,
	"name" varchar(200) NOT NULL,
	"mime" varchar(100) DEFAULT 'application/octet-stream' NOT NULL,
	"size" bigint NOT NULL,
	"md5" varchar(32) NOT NULL,
	"sha1" varchar(40) NOT NULL,
	"sha256" varchar(64) NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"used_time" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"uid" integer NOT NULL,
	"key" varchar(255) NOT NULL,
	"request_hash" varchar(64) NOT NULL,
	"answer" jsonb,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("uid","key")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"job_id" serial PRIMARY KEY NOT NULL,
	"kind" varchar(50) NOT NULL,
	"title" varchar(100) DEFAULT '' NOT NULL,
	"uid" integer,
	"tenant_id" integer,
	"payload" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"state" varchar(10) DEFAULT 'waiting' NOT NULL,
	"percent" smallint DEFAULT 0 NOT NULL,
	"result" jsonb,
	"error" varchar(500) DEFAULT '' NOT NULL,
	"unique_key" varchar(100),
	"attempts" smallint DEFAULT 0 NOT NULL,
	"queue_id" uuid,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finish_time" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "login_logs" (
	"info_id" bigserial NOT NULL,
	"login_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"account" varchar(64) NOT NULL,
	"uid" integer,
	"tenant_id" integer,
	"login_type" smallint DEFAULT 1 NOT NULL,
	"ip" varchar(45) NOT NULL,
	"browser" varchar(50) DEFAULT '' NOT NULL,
	"os" varchar(50) DEFAULT '' NOT NULL,
	"user_agent" varchar(512) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"msg" varchar(255) DEFAULT '' NOT NULL,
	CONSTRAINT "login_logs_pk" PRIMARY KEY("login_time","info_id")
) PARTITION BY RANGE ("login_time");
--> statement-breakpoint
CREATE TABLE "menus" (
	"id" serial PRIMARY KEY NOT NULL,
	"parent_id" integer DEFAULT 0 NOT NULL,
	"name" varchar(50) NOT NULL,
	"type" varchar(1) NOT NULL,
	"url" varchar(200) DEFAULT '' NOT NULL,
	"perms" varchar(100) DEFAULT '' NOT NULL,
	"icon" varchar(100) DEFAULT '' NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"visible" smallint DEFAULT 1 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"keep_alive" smallint DEFAULT 1 NOT NULL,
	"affix" smallint DEFAULT 0 NOT NULL,
	"is_frame" smallint DEFAULT 0 NOT NULL,
	"query" varchar(255) DEFAULT '' NOT NULL,
	"active_menu" varchar(200) DEFAULT '' NOT NULL,
	"route_name" varchar(50) DEFAULT '' NOT NULL,
	"is_builtin" smallint DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "notice_reads" (
	"notice_id" integer NOT NULL,
	"uid" integer NOT NULL,
	"read_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"confirm_time" timestamp (3) with time zone,
	CONSTRAINT "notice_reads_pk" PRIMARY KEY("notice_id","uid")
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"notice_id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"title" varchar(50) NOT NULL,
	"type" smallint DEFAULT 1 NOT NULL,
	"topic" varchar(12) DEFAULT '' NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"summary" varchar(200) DEFAULT '' NOT NULL,
	"priority" smallint DEFAULT 2 NOT NULL,
	"target" smallint DEFAULT 1 NOT NULL,
	"target_ids" integer[] DEFAULT '{}' NOT NULL,
	"start_time" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone,
	"is_top" smallint DEFAULT 0 NOT NULL,
	"need_confirm" smallint DEFAULT 0 NOT NULL,
	"attachments" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"publish_time" timestamp (3) with time zone,
	"publisher" integer,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oper_logs" (
	"oper_id" bigserial NOT NULL,
	"oper_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"tenant_id" integer,
	"uid" integer,
	"oper_name" varchar(50) DEFAULT '' NOT NULL,
	"title" varchar(50) NOT NULL,
	"business_type" smallint DEFAULT 0 NOT NULL,
	"biz_type" varchar(50) DEFAULT '' NOT NULL,
	"biz_id" varchar(64) DEFAULT '' NOT NULL,
	"action" varchar(500) DEFAULT '' NOT NULL,
	"diff" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"request_method" varchar(10) NOT NULL,
	"oper_url" varchar(255) NOT NULL,
	"oper_ip" varchar(45) NOT NULL,
	"user_agent" varchar(512) DEFAULT '' NOT NULL,
	"oper_param" varchar(2000) DEFAULT '' NOT NULL,
	"json_result" varchar(500) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"error_msg" varchar(2000) DEFAULT '' NOT NULL,
	"trace_id" varchar(64) DEFAULT '' NOT NULL,
	"cost_time" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "oper_logs_pk" PRIMARY KEY("oper_time","oper_id")
) PARTITION BY RANGE ("oper_time");
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" varchar(32) PRIMARY KEY NOT NULL,
	"tenant_id" integer,
	"uid" integer NOT NULL,
	"purpose" varchar(20) NOT NULL,
	"name" varchar(200) NOT NULL,
	"size" bigint NOT NULL,
	"fingerprint" varchar(200) NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_accounts" (
	"uid" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"account" varchar(50) NOT NULL,
	"mobile_no" varchar(20),
	"email" varchar(50),
	"nickname" varchar(30) DEFAULT '' NOT NULL,
	"region" varchar(64) DEFAULT '' NOT NULL,
	"register_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"register_source" smallint DEFAULT 1 NOT NULL,
	"last_active_time" timestamp (3) with time zone,
	"cloud_state" smallint DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"session_epoch" integer DEFAULT 0 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "industries" (
	"id" serial PRIMARY KEY NOT NULL,
	"parent_id" integer DEFAULT 0 NOT NULL,
	"name" varchar(30) NOT NULL,
	"code" varchar(30) NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"icon" varchar(64) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "scene_menus" (
	"scene_id" integer NOT NULL,
	"menu_id" integer NOT NULL,
	CONSTRAINT "scene_menus_pk" PRIMARY KEY("scene_id","menu_id")
);
--> statement-breakpoint
CREATE TABLE "scenes" (
	"id" serial PRIMARY KEY NOT NULL,
	"scene_name" varchar(30) NOT NULL,
	"scene_code" varchar(30) NOT NULL,
	"icon" varchar(64) DEFAULT '' NOT NULL,
	"cover" varchar(255) DEFAULT '' NOT NULL,
	"description" varchar(200) DEFAULT '' NOT NULL,
	"is_default" smallint DEFAULT 0 NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "tenant_scenes" (
	"tenant_id" integer NOT NULL,
	"scene_id" integer NOT NULL,
	CONSTRAINT "tenant_scenes_pk" PRIMARY KEY("tenant_id","scene_id")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_no" varchar(20) NOT NULL,
	"name" varchar(50) NOT NULL,
	"short_name" varchar(20) DEFAULT '' NOT NULL,
	"industry_id" integer,
	"company_size" smallint,
	"contact_name" varchar(20) DEFAULT '' NOT NULL,
	"contact_phone" varchar(20) DEFAULT '' NOT NULL,
	"contact_email" varchar(50) DEFAULT '' NOT NULL,
	"license_number" varchar(30) DEFAULT '' NOT NULL,
	"area_code" varchar(12) DEFAULT '' NOT NULL,
	"address" varchar(200) DEFAULT '' NOT NULL,
	"logo" varchar(255) DEFAULT '' NOT NULL,
	"domain" varchar(200) DEFAULT '' NOT NULL,
	"join_code" varchar(8),
	"allow_apply" smallint DEFAULT 1 NOT NULL,
	"account_count" integer DEFAULT -1 NOT NULL,
	"device_quota" integer DEFAULT -1 NOT NULL,
	"begin_time" timestamp (3) with time zone,
	"expire_time" timestamp (3) with time zone,
	"level" smallint DEFAULT 1 NOT NULL,
	"status" smallint DEFAULT 1 NOT NULL,
	"ad_platform_audit" smallint DEFAULT 0 NOT NULL,
	"expired_at" timestamp (3) with time zone,
	"warned_days" smallint,
	"intro" text DEFAULT '' NOT NULL,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "user_applications" (
	"id" serial PRIMARY KEY NOT NULL,
	"apply_no" varchar(20) NOT NULL,
	"uid" integer NOT NULL,
	"account" varchar(30) NOT NULL,
	"realname" varchar(15) NOT NULL,
	"mobile_no" varchar(20),
	"tenant_id" integer NOT NULL,
	"source" smallint DEFAULT 2 NOT NULL,
	"reason" varchar(200) DEFAULT '' NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"role_ids" integer[] DEFAULT '{}' NOT NULL,
	"audit_uid" integer,
	"audit_name" varchar(30) DEFAULT '' NOT NULL,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_facts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"dim" smallint NOT NULL,
	"day" date NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"key" varchar(64) DEFAULT '' NOT NULL,
	"n" integer NOT NULL,
	"total" bigint DEFAULT 0 NOT NULL,
	"fresh" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_files" (
	"ticket_id" integer NOT NULL,
	"file_id" varchar(32) NOT NULL,
	"kind" smallint NOT NULL,
	"name" varchar(200) NOT NULL,
	"size" bigint NOT NULL,
	"sort" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "ticket_files_pk" PRIMARY KEY("ticket_id","kind","file_id")
);
--> statement-breakpoint
CREATE TABLE "ticket_numbers" (
	"day" date PRIMARY KEY NOT NULL,
	"last" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_records" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"ticket_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"uid" integer,
	"realname" varchar(50) DEFAULT '' NOT NULL,
	"handler_id" integer,
	"handler" varchar(50) DEFAULT '' NOT NULL,
	"status" smallint NOT NULL,
	"from_status" smallint,
	"remark" varchar(200) DEFAULT '' NOT NULL,
	"detail" varchar(500) DEFAULT '' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ticket_templates" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"title" varchar(50) NOT NULL,
	"content" varchar(200) NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "ticket_viewers" (
	"ticket_id" integer NOT NULL,
	"uid" integer NOT NULL,
	"realname" varchar(50) DEFAULT '' NOT NULL,
	"typing" smallint DEFAULT 0 NOT NULL,
	"seen_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_viewers_pk" PRIMARY KEY("ticket_id","uid")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"feedback_no" varchar(20) NOT NULL,
	"account" varchar(50) DEFAULT '' NOT NULL,
	"contact" varchar(50) DEFAULT '' NOT NULL,
	"app_account_id" integer,
	"device_id" integer,
	"sn" varchar(64) DEFAULT '' NOT NULL,
	"dev_name" varchar(64) DEFAULT '' NOT NULL,
	"model_id" integer,
	"model_name" varchar(32) DEFAULT '' NOT NULL,
	"type_name" varchar(32) DEFAULT '' NOT NULL,
	"ver_code" integer,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"dev_create_time" timestamp (3) with time zone,
	"problem_type" smallint NOT NULL,
	"content" varchar(2000) NOT NULL,
	"problem_attr" jsonb DEFAULT '{"hardware":[],"software":[],"structure":[]}'::jsonb NOT NULL,
	"status" smallint DEFAULT 0 NOT NULL,
	"handler_id" integer,
	"handler" varchar(50) DEFAULT '' NOT NULL,
	"last_handler_id" integer,
	"priority" smallint DEFAULT 2 NOT NULL,
	"source" smallint DEFAULT 2 NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"first_respond_time" timestamp (3) with time zone,
	"close_time" timestamp (3) with time zone,
	"reopen_count" integer DEFAULT 0 NOT NULL,
	"sla_respond_due" timestamp (3) with time zone,
	"sla_solve_due" timestamp (3) with time zone,
	"sla_state" smallint DEFAULT 0 NOT NULL,
	"sla_next_time" timestamp (3) with time zone,
	"sla_breached" boolean DEFAULT false NOT NULL,
	"suspend_time" timestamp (3) with time zone,
	"paused_minutes" integer DEFAULT 0 NOT NULL,
	"suspend_until" timestamp (3) with time zone,
	"satisfaction" smallint,
	"satisfaction_remark" varchar(200) DEFAULT '' NOT NULL,
	"merged_into_id" integer,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_alarms" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"ota_id" integer NOT NULL,
	"kind" smallint NOT NULL,
	"message" varchar(500) NOT NULL,
	"facts" jsonb,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"close_time" timestamp (3) with time zone,
	"close_by" integer
);
--> statement-breakpoint
CREATE TABLE "ota_manifests" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"package_name" varchar(64) DEFAULT '' NOT NULL,
	"release" integer NOT NULL,
	"manifest" text NOT NULL,
	"signature" varchar(100) NOT NULL,
	"key_id" varchar(16) NOT NULL,
	"is_own" boolean DEFAULT true NOT NULL,
	"expire_time" timestamp (3) with time zone NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_paces" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"handed" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_policies" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"mode" smallint DEFAULT 1 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"state_reason" varchar(200) DEFAULT '' NOT NULL,
	"percent" integer DEFAULT 10000 NOT NULL,
	"tenant_ids" integer[] DEFAULT '{}' NOT NULL,
	"group_ids" integer[] DEFAULT '{}' NOT NULL,
	"start_time" timestamp (3) with time zone,
	"end_time" timestamp (3) with time zone,
	"daily_start" smallint,
	"daily_end" smallint,
	"need_confirm" boolean DEFAULT false NOT NULL,
	"max_downloads" integer,
	"per_minute" integer,
	"bandwidth" integer,
	"timeout_minutes" integer DEFAULT 1440 NOT NULL,
	"auto_retries" smallint DEFAULT 0 NOT NULL,
	"pending" jsonb,
	"submit_by" integer,
	"submit_time" timestamp (3) with time zone,
	"audit_by" integer,
	"audit_time" timestamp (3) with time zone,
	"audit_remark" varchar(200) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_stages" (
	"ota_id" integer NOT NULL,
	"seq" smallint NOT NULL,
	"percent" integer NOT NULL,
	"success_percent" smallint DEFAULT 95 NOT NULL,
	"error_percent" smallint DEFAULT 5 NOT NULL,
	"min_reports" integer DEFAULT 20 NOT NULL,
	"min_minutes" integer DEFAULT 30 NOT NULL,
	"max_minutes" integer DEFAULT 1440 NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"start_time" timestamp (3) with time zone,
	"judge_time" timestamp (3) with time zone,
	"succeeded" integer,
	"failed" integer,
	CONSTRAINT "ota_stages_pk" PRIMARY KEY("ota_id","seq")
);
--> statement-breakpoint
CREATE TABLE "ota_task_logs" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"task_id" integer NOT NULL,
	"state" smallint NOT NULL,
	"execution" varchar(16) DEFAULT '' NOT NULL,
	"finished" varchar(8) DEFAULT '' NOT NULL,
	"code" varchar(32),
	"details" text[] DEFAULT '{}' NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_tasks" (
	"task_id" serial PRIMARY KEY NOT NULL,
	"ota_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"package_name" varchar(64) DEFAULT '' NOT NULL,
	"from_ver_code" integer,
	"ver_code" integer NOT NULL,
	"state" smallint DEFAULT 0 NOT NULL,
	"progress" smallint DEFAULT 0 NOT NULL,
	"reason" varchar(500) DEFAULT '' NOT NULL,
	"code" varchar(32),
	"attempt" smallint DEFAULT 1 NOT NULL,
	"retried" boolean DEFAULT false NOT NULL,
	"pushed" boolean DEFAULT false NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"close_time" timestamp (3) with time zone,
	"changed" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ota_whites" (
	"ota_id" integer NOT NULL,
	"device_id" integer NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ota_whites_pk" PRIMARY KEY("ota_id","device_id")
);
--> statement-breakpoint
CREATE INDEX "account_roles_role" ON "account_roles" USING btree ("role_id","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_account" ON "accounts" USING btree (lower("account")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_mobile" ON "accounts" USING btree ("mobile_no") WHERE deleted_at is null and mobile_no is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email")) WHERE deleted_at is null and email is not null;--> statement-breakpoint
CREATE INDEX "accounts_tenant" ON "accounts" USING btree ("tenant_id","uid");--> statement-breakpoint
CREATE INDEX "accounts_create_time" ON "accounts" USING btree ("create_time","uid");--> statement-breakpoint
CREATE INDEX "accounts_last_login" ON "accounts" USING btree ("last_login_time" NULLS FIRST,"uid");--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_token" ON "api_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "api_tokens_former" ON "api_tokens" USING btree ("former_hash") WHERE former_hash is not null;--> statement-breakpoint
CREATE INDEX "api_tokens_uid" ON "api_tokens" USING btree ("uid","id");--> statement-breakpoint
CREATE INDEX "challenges_expire" ON "challenges" USING btree ("expire_time");--> statement-breakpoint
CREATE INDEX "challenges_uid" ON "challenges" USING btree ("uid","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "display_links_token" ON "display_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "display_links_tenant" ON "display_links" USING btree ("tenant_id","id") WHERE revoke_time is null;--> statement-breakpoint
CREATE INDEX "login_failures_last" ON "login_failures" USING btree ("last_time");--> statement-breakpoint
CREATE INDEX "role_menus_menu" ON "role_menus" USING btree ("menu_id");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("tenant_id","create_by","page","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name" ON "roles" USING btree ("tenant_id","role_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_code" ON "roles" USING btree ("tenant_id","role_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "roles_sort" ON "roles" USING btree ("tenant_id","role_sort","id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_uid" ON "sessions" USING btree ("uid") WHERE end_time is null;--> statement-breakpoint
CREATE INDEX "sessions_live" ON "sessions" USING btree ("last_active_time","id") WHERE end_time is null;--> statement-breakpoint
CREATE INDEX "ad_names_name" ON "ad_names" USING btree ("kind","name");--> statement-breakpoint
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
CREATE INDEX "ad_screens_failed" ON "ad_screens" USING btree ("tenant_id","device_id") WHERE failed <> '[]'::jsonb or fail_notice_time is not null;--> statement-breakpoint
CREATE INDEX "ad_screens_report" ON "ad_screens" USING btree ("last_report_time" NULLS FIRST,"device_id");--> statement-breakpoint
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
CREATE UNIQUE INDEX "agent_codes_code" ON "agent_codes" USING btree ("code");--> statement-breakpoint
CREATE INDEX "agent_codes_expire" ON "agent_codes" USING btree ("expire_time");--> statement-breakpoint
CREATE INDEX "agent_codes_ip" ON "agent_codes" USING btree ("ip","create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_contacts_target" ON "agent_contacts" USING btree ("mac","target_mac");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_contacts_alias" ON "agent_contacts" USING btree ("mac","alias");--> statement-breakpoint
CREATE INDEX "agent_contacts_called" ON "agent_contacts" USING btree ("target_mac");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_devices_mac" ON "agent_devices" USING btree ("mac");--> statement-breakpoint
CREATE INDEX "agent_devices_tenant" ON "agent_devices" USING btree ("tenant_id","device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_agent" ON "agent_devices" USING btree ("agent_id","device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_board" ON "agent_devices" USING btree ("board","device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_created" ON "agent_devices" USING btree ("create_time","device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_boot" ON "agent_devices" USING btree ("boot_time" NULLS FIRST,"device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_turn" ON "agent_devices" USING btree ("turn_time" NULLS FIRST,"device_id");--> statement-breakpoint
CREATE INDEX "agent_events_mac" ON "agent_events" USING btree ("mac","id");--> statement-breakpoint
CREATE INDEX "agent_events_time" ON "agent_events" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "agent_identity_keys_tenant" ON "agent_identity_keys" USING btree ("tenant_id","create_time");--> statement-breakpoint
CREATE INDEX "agent_reminders_device" ON "agent_reminders" USING btree ("device_id","remind_time");--> statement-breakpoint
CREATE INDEX "agent_reminders_tenant" ON "agent_reminders" USING btree ("tenant_id","remind_time");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_after_once" ON "agent_after" USING btree ("session_row_id","kind");--> statement-breakpoint
CREATE INDEX "agent_after_open" ON "agent_after" USING btree ("next_time","id") WHERE state < 2;--> statement-breakpoint
CREATE INDEX "agent_after_time" ON "agent_after" USING btree ("create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_sessions_session" ON "agent_sessions" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "agent_sessions_id" ON "agent_sessions" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "agent_sessions_tenant" ON "agent_sessions" USING btree ("tenant_id","last_time","id");--> statement-breakpoint
CREATE INDEX "agent_sessions_agent" ON "agent_sessions" USING btree ("agent_id","last_time","id");--> statement-breakpoint
CREATE INDEX "agent_sessions_device" ON "agent_sessions" USING btree ("device_id","last_time","id");--> statement-breakpoint
CREATE INDEX "agent_sessions_time" ON "agent_sessions" USING btree ("last_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_turns_once" ON "agent_turns" USING btree ("session_row_id","kind","report_time","content_md5");--> statement-breakpoint
CREATE INDEX "agent_turns_session" ON "agent_turns" USING btree ("session_row_id","report_time","id");--> statement-breakpoint
CREATE INDEX "agent_turns_device" ON "agent_turns" USING btree ("device_id","report_time");--> statement-breakpoint
CREATE INDEX "agent_turns_agent" ON "agent_turns" USING btree ("agent_id","kind","report_time");--> statement-breakpoint
CREATE INDEX "agent_turns_speaker" ON "agent_turns" USING btree ("agent_id","speaker","report_time") WHERE speaker <> '';--> statement-breakpoint
CREATE INDEX "agent_turns_audio" ON "agent_turns" USING btree ("audio_id") WHERE audio_id <> '';--> statement-breakpoint
CREATE INDEX "agent_turns_tenant" ON "agent_turns" USING btree ("tenant_id","report_time");--> statement-breakpoint
CREATE INDEX "agent_turns_audio_age" ON "agent_turns" USING btree ("tenant_id","report_time") WHERE audio_id <> '';--> statement-breakpoint
CREATE UNIQUE INDEX "agent_voiceprints_name" ON "agent_voiceprints" USING btree ("agent_id","name");--> statement-breakpoint
CREATE INDEX "agent_voiceprints_tenant" ON "agent_voiceprints" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_voiceprints_created" ON "agent_voiceprints" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_models_code" ON "agent_models" USING btree ("code") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_models_default" ON "agent_models" USING btree ("tenant_id","type") WHERE is_default = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "agent_models_type" ON "agent_models" USING btree ("type","sort","id");--> statement-breakpoint
CREATE INDEX "agent_models_tenant" ON "agent_models" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_providers_code" ON "agent_providers" USING btree ("type","code");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_secrets_hash" ON "agent_secrets" USING btree ("value_hash") WHERE value_hash is not null;--> statement-breakpoint
CREATE INDEX "agent_secrets_tenant" ON "agent_secrets" USING btree ("tenant_id","owner_kind");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_voice_clones_voice" ON "agent_voice_clones" USING btree ("model_id","voice_id") WHERE deleted_at is null and voice_id <> '';--> statement-breakpoint
CREATE INDEX "agent_voice_clones_tenant" ON "agent_voice_clones" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_voice_clones_created" ON "agent_voice_clones" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_voices_code" ON "agent_voices" USING btree ("tenant_id","model_id","code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "agent_voices_model" ON "agent_voices" USING btree ("model_id","sort","id");--> statement-breakpoint
CREATE INDEX "agent_voices_sort" ON "agent_voices" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX "agent_voices_created" ON "agent_voices" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_voices_tenant" ON "agent_voices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_grants_pack" ON "agent_grants" USING btree ("order_id","target_id","pack_no","unit");--> statement-breakpoint
CREATE INDEX "agent_grants_open" ON "agent_grants" USING btree ("scope","target_id") WHERE state < 2;--> statement-breakpoint
CREATE INDEX "agent_grants_due" ON "agent_grants" USING btree (coalesce(valid_until, activate_until)) WHERE state < 2 and is_frozen = 0;--> statement-breakpoint
CREATE INDEX "agent_grants_ending" ON "agent_grants" USING btree ("tenant_id","valid_until") WHERE state = 1 and is_frozen = 0 and coalesce(warned_days, 100) > 7;--> statement-breakpoint
CREATE INDEX "agent_grants_low" ON "agent_grants" USING btree ("tenant_id","id") WHERE state = 1 and is_frozen = 0 and low_share < coalesce(warned_share, 100);--> statement-breakpoint
CREATE INDEX "agent_grants_used_up" ON "agent_grants" USING btree ("tenant_id","id") WHERE state = 2 and coalesce(warned_share, 100) > 0;--> statement-breakpoint
CREATE INDEX "agent_grants_target" ON "agent_grants" USING btree ("scope","target_id","id");--> statement-breakpoint
CREATE INDEX "agent_grants_tenant" ON "agent_grants" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_grants_created" ON "agent_grants" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_grants_valid" ON "agent_grants" USING btree ("valid_until" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "agent_grants_activate" ON "agent_grants" USING btree ("activate_until","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_ledger_spent" ON "agent_ledger" USING btree ("grant_id","day") WHERE kind = 2;--> statement-breakpoint
CREATE INDEX "agent_ledger_grant" ON "agent_ledger" USING btree ("grant_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_order" ON "agent_ledger" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_tenant" ON "agent_ledger" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_created" ON "agent_ledger" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_ledger_day" ON "agent_ledger" USING btree ("day","id");--> statement-breakpoint
CREATE INDEX "agent_order_refunds_order" ON "agent_order_refunds" USING btree ("order_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_order_refunds_open" ON "agent_order_refunds" USING btree ("order_id") WHERE state = 0;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_order_targets_target" ON "agent_order_targets" USING btree ("order_id","target_id");--> statement-breakpoint
CREATE INDEX "agent_order_targets_line" ON "agent_order_targets" USING btree ("order_id","line");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_orders_no" ON "agent_orders" USING btree ("order_no");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_orders_voucher" ON "agent_orders" USING btree ("voucher_no") WHERE voucher_no <> '';--> statement-breakpoint
CREATE INDEX "agent_orders_tenant" ON "agent_orders" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_orders_created" ON "agent_orders" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_orders_paid" ON "agent_orders" USING btree ("pay_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "agent_orders_amount" ON "agent_orders" USING btree ("amount","id");--> statement-breakpoint
CREATE INDEX "agent_orders_open" ON "agent_orders" USING btree ("state","id") WHERE state in (0, 1);--> statement-breakpoint
CREATE UNIQUE INDEX "agent_trials_mac" ON "agent_trials" USING btree ("mac") WHERE mac <> '';--> statement-breakpoint
CREATE INDEX "agent_trials_order" ON "agent_trials" USING btree ("order_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_product_versions_no" ON "agent_product_versions" USING btree ("package_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_products_name" ON "agent_products" USING btree ("package_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_products_code" ON "agent_products" USING btree ("package_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "agent_products_sort" ON "agent_products" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX "agent_completions_created" ON "agent_completions" USING btree ("create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_usage_group" ON "agent_usage" USING btree ("day","tenant_id","agent_id","device_id","model_id","source","unit","is_estimate") WHERE folded = 1;--> statement-breakpoint
CREATE INDEX "agent_usage_appended" ON "agent_usage" USING btree ("id") WHERE folded = 0;--> statement-breakpoint
CREATE INDEX "agent_usage_tenant" ON "agent_usage" USING btree ("tenant_id","day");--> statement-breakpoint
CREATE INDEX "agent_usage_agent" ON "agent_usage" USING btree ("agent_id","day");--> statement-breakpoint
CREATE INDEX "agent_usage_device" ON "agent_usage" USING btree ("device_id","day");--> statement-breakpoint
CREATE INDEX "agent_usage_device_days" ON "agent_usage" USING btree ("day","device_id") WHERE folded = 1 and device_id > 0;--> statement-breakpoint
CREATE INDEX "agent_templates_sort" ON "agent_templates" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX "agent_templates_created" ON "agent_templates" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_templates_tenant" ON "agent_templates" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_word_files_tenant" ON "agent_word_files" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_word_files_created" ON "agent_word_files" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_code" ON "agents" USING btree ("agent_code");--> statement-breakpoint
CREATE INDEX "agents_tenant" ON "agents" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agents_created" ON "agents" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agents_updated" ON "agents" USING btree ("update_time","id");--> statement-breakpoint
CREATE INDEX "agents_name" ON "agents" USING btree ("agent_name" collate oms_names nulls first,"id");--> statement-breakpoint
CREATE INDEX "agents_tags" ON "agents" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "agents_llm" ON "agents" USING btree ("llm_id");--> statement-breakpoint
CREATE INDEX "agents_tts" ON "agents" USING btree ("tts_id");--> statement-breakpoint
CREATE INDEX "agents_voice" ON "agents" USING btree ("voice_id");--> statement-breakpoint
CREATE INDEX "device_group_members_device" ON "device_group_members" USING btree ("device_id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_groups_name" ON "device_groups" USING btree ("tenant_id","group_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_groups_tenant" ON "device_groups" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_name" ON "device_models" USING btree ("model_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_code" ON "device_models" USING btree ("model_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_models_type" ON "device_models" USING btree ("type_id","id");--> statement-breakpoint
CREATE INDEX "device_models_boards" ON "device_models" USING gin ("boards");--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_name" ON "device_types" USING btree ("type_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_code" ON "device_types" USING btree ("type_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_versions_device" ON "device_versions" USING btree ("device_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_sn" ON "devices" USING btree ("sn") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_sn_lower" ON "devices" USING btree (lower("sn")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_uid" ON "devices" USING btree ("uid") WHERE deleted_at is null and uid <> '';--> statement-breakpoint
CREATE INDEX "devices_mac" ON "devices" USING btree ("mac") WHERE mac <> '';--> statement-breakpoint
CREATE INDEX "devices_tenant" ON "devices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "devices_model" ON "devices" USING btree ("model_id","id");--> statement-breakpoint
CREATE INDEX "devices_version" ON "devices" USING btree ("model_id","ver_code","id");--> statement-breakpoint
CREATE INDEX "devices_online" ON "devices" USING btree ("id") WHERE online = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "devices_activated" ON "devices" USING btree ("activate_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "devices_warranty" ON "devices" USING btree ("warranty_end" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "devices_app_account" ON "devices" USING btree ("app_account_id") WHERE app_account_id is not null;--> statement-breakpoint
CREATE INDEX "devices_tags" ON "devices" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "devices_changed" ON "devices" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "fleet_samples_tenant" ON "fleet_samples" USING btree ("tenant_id","span","start");--> statement-breakpoint
CREATE INDEX "outbox_events_new" ON "outbox_events" USING btree ("id") WHERE dispatch_time is null;--> statement-breakpoint
CREATE INDEX "outbox_events_time" ON "outbox_events" USING btree ("create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("endpoint_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","next_time") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_attempt" ON "webhook_deliveries" USING btree ("endpoint_id","attempt_time");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_time" ON "webhook_deliveries" USING btree ("create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_endpoints_name" ON "webhook_endpoints" USING btree ("tenant_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "license_batches_no" ON "license_batches" USING btree ("batch_no");--> statement-breakpoint
CREATE UNIQUE INDEX "license_batches_file" ON "license_batches" USING btree ("file_hash");--> statement-breakpoint
CREATE INDEX "license_batches_vendor" ON "license_batches" USING btree ("vendor","id");--> statement-breakpoint
CREATE INDEX "license_events_license" ON "license_events" USING btree ("license_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "license_grants_no" ON "license_grants" USING btree ("grant_no");--> statement-breakpoint
CREATE INDEX "license_grants_tenant" ON "license_grants" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "license_grants_type" ON "license_grants" USING btree ("tenant_id","type_code","status");--> statement-breakpoint
CREATE INDEX "license_grants_status" ON "license_grants" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "license_grants_valid" ON "license_grants" USING btree ("valid_to","id");--> statement-breakpoint
CREATE INDEX "license_ledger_grant" ON "license_ledger" USING btree ("grant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "licenses_uid" ON "licenses" USING btree ("uid");--> statement-breakpoint
CREATE UNIQUE INDEX "licenses_device" ON "licenses" USING btree ("device_id") WHERE device_id is not null;--> statement-breakpoint
CREATE INDEX "licenses_stock" ON "licenses" USING btree ("vendor","type_code","id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "licenses_batch" ON "licenses" USING btree ("batch_id","id");--> statement-breakpoint
CREATE INDEX "licenses_tenant" ON "licenses" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "licenses_model" ON "licenses" USING btree ("model_id","id");--> statement-breakpoint
CREATE INDEX "licenses_state" ON "licenses" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "licenses_vendor" ON "licenses" USING btree ("vendor","id");--> statement-breakpoint
CREATE INDEX "licenses_allotted" ON "licenses" USING btree ("allot_time","id") WHERE allot_time is not null;--> statement-breakpoint
CREATE INDEX "licenses_activated" ON "licenses" USING btree ("activate_time","id") WHERE activate_time is not null;--> statement-breakpoint
CREATE INDEX "licenses_expire" ON "licenses" USING btree ("expire_time","id") WHERE expire_time is not null;--> statement-breakpoint
CREATE INDEX "ota_components_version" ON "ota_components" USING btree ("ota_id","sort");--> statement-breakpoint
CREATE INDEX "ota_components_file" ON "ota_components" USING btree ("file_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_versions_code" ON "ota_versions" USING btree ("tenant_id","model_id","package_name","ver_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ota_versions_tenant" ON "ota_versions" USING btree ("tenant_id","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_model" ON "ota_versions" USING btree ("model_id","kind","ota_id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ota_versions_kind" ON "ota_versions" USING btree ("kind","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("kind","release_date","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_number" ON "ota_versions" USING btree ("kind","ver_code","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_updated" ON "ota_versions" USING btree ("kind","update_time","ota_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_app_keys_key" ON "oss_app_keys" USING btree ("key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_app_keys_name" ON "oss_app_keys" USING btree ("tenant_id","key_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "oss_app_keys_tenant" ON "oss_app_keys" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_app_nonces_time" ON "oss_app_nonces" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "oss_consents_tenant" ON "oss_consents" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_consents_device" ON "oss_consents" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_consents_created" ON "oss_consents" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_consents_valid" ON "oss_consents" USING btree ("valid_until","id");--> statement-breakpoint
CREATE INDEX "oss_views_tenant" ON "oss_views" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_device" ON "oss_views" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_owner" ON "oss_views" USING btree ("app_account_id","id");--> statement-breakpoint
CREATE INDEX "oss_views_consent" ON "oss_views" USING btree ("consent_id");--> statement-breakpoint
CREATE INDEX "oss_views_created" ON "oss_views" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_grant_files_hash" ON "oss_grant_files" USING btree ("tenant_id","file_hash") WHERE state <> 3;--> statement-breakpoint
CREATE INDEX "oss_grant_files_created" ON "oss_grant_files" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_allowance_ledger_allowance" ON "oss_allowance_ledger" USING btree ("allowance_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_allowances_package" ON "oss_allowances" USING btree ("tenant_id","package_id");--> statement-breakpoint
CREATE INDEX "oss_allowances_created" ON "oss_allowances" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_card_attempts_uid" ON "oss_card_attempts" USING btree ("uid","create_time");--> statement-breakpoint
CREATE INDEX "oss_card_attempts_ip" ON "oss_card_attempts" USING btree ("ip","create_time");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_card_batches_no" ON "oss_card_batches" USING btree ("batch_no");--> statement-breakpoint
CREATE INDEX "oss_card_batches_file" ON "oss_card_batches" USING btree ("create_time") WHERE file_encrypted <> '';--> statement-breakpoint
CREATE UNIQUE INDEX "oss_cards_code" ON "oss_cards" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "oss_cards_batch" ON "oss_cards" USING btree ("batch_id","id");--> statement-breakpoint
CREATE INDEX "oss_cards_entitlement" ON "oss_cards" USING btree ("entitlement_id") WHERE entitlement_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_hook_events_id" ON "oss_hook_events" USING btree ("hook_id","event_id");--> statement-breakpoint
CREATE INDEX "oss_hook_events_tenant" ON "oss_hook_events" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_hook_events_order" ON "oss_hook_events" USING btree ("hook_id","out_order_no");--> statement-breakpoint
CREATE INDEX "oss_hook_events_refused" ON "oss_hook_events" USING btree ("hook_id","id") WHERE result = 2;--> statement-breakpoint
CREATE INDEX "oss_hooks_tenant" ON "oss_hooks" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_notices_once" ON "oss_notices" USING btree ("device_id","channel","end_time","kind","days");--> statement-breakpoint
CREATE INDEX "oss_notices_tenant" ON "oss_notices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_order_items_line" ON "oss_order_items" USING btree ("order_id","line");--> statement-breakpoint
CREATE INDEX "oss_order_items_sn" ON "oss_order_items" USING btree ("sn");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_orders_no" ON "oss_orders" USING btree ("order_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_orders_out" ON "oss_orders" USING btree ("hook_id","out_order_no");--> statement-breakpoint
CREATE INDEX "oss_orders_tenant" ON "oss_orders" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_orders_created" ON "oss_orders" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_orders_paid" ON "oss_orders" USING btree ("pay_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "oss_orders_amount" ON "oss_orders" USING btree ("amount","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_refunds_no" ON "oss_refunds" USING btree ("refund_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_refunds_out" ON "oss_refunds" USING btree ("hook_id","out_refund_no") WHERE out_refund_no <> '';--> statement-breakpoint
CREATE INDEX "oss_refunds_order" ON "oss_refunds" USING btree ("order_id","id");--> statement-breakpoint
CREATE INDEX "oss_refunds_tenant" ON "oss_refunds" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_refunds_pending" ON "oss_refunds" USING btree ("item_id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "oss_purges_open" ON "oss_purges" USING btree ("id") WHERE state = 0;--> statement-breakpoint
CREATE INDEX "oss_purges_device" ON "oss_purges" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "oss_stored_day" ON "oss_stored" USING btree ("expire_day","tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_usage_days_group" ON "oss_usage_days" USING btree ("day","tenant_id","model_id","record_type") WHERE folded = 1;--> statement-breakpoint
CREATE INDEX "oss_usage_days_appended" ON "oss_usage_days" USING btree ("id") WHERE folded = 0;--> statement-breakpoint
CREATE INDEX "oss_usage_days_day" ON "oss_usage_days" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE INDEX "oss_counts_tenant" ON "oss_counts" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "oss_counts_package" ON "oss_counts" USING btree ("package_id");--> statement-breakpoint
CREATE INDEX "oss_ends_day" ON "oss_ends" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_no" ON "oss_entitlements" USING btree ("ent_no");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_current" ON "oss_entitlements" USING btree ("device_id","channel") WHERE state in (1, 3);--> statement-breakpoint
CREATE UNIQUE INDEX "oss_entitlements_trial" ON "oss_entitlements" USING btree ("sn") WHERE source = 4;--> statement-breakpoint
CREATE INDEX "oss_entitlements_queue" ON "oss_entitlements" USING btree ("device_id","channel","position") WHERE state in (0, 1, 3);--> statement-breakpoint
CREATE INDEX "oss_entitlements_device" ON "oss_entitlements" USING btree ("device_id","channel","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_tenant" ON "oss_entitlements" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_package" ON "oss_entitlements" USING btree ("package_id","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_state" ON "oss_entitlements" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_start" ON "oss_entitlements" USING btree ("start_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_end" ON "oss_entitlements" USING btree ("end_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "oss_entitlements_item" ON "oss_entitlements" USING btree ("order_item_id") WHERE order_item_id is not null;--> statement-breakpoint
CREATE INDEX "oss_entitlements_created" ON "oss_entitlements" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "oss_flows_day" ON "oss_flows" USING btree ("day","tenant_id");--> statement-breakpoint
CREATE INDEX "oss_ledger_entitlement" ON "oss_ledger" USING btree ("entitlement_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_package_versions_no" ON "oss_package_versions" USING btree ("package_id","version");--> statement-breakpoint
CREATE UNIQUE INDEX "oss_packages_name" ON "oss_packages" USING btree ("package_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "oss_packages_code" ON "oss_packages" USING btree ("package_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "oss_packages_sort" ON "oss_packages" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX "oss_queues_next" ON "oss_queues" USING btree ("next_time","device_id","channel") WHERE next_time is not null;--> statement-breakpoint
CREATE INDEX "oss_queues_end" ON "oss_queues" USING btree ("end_time");--> statement-breakpoint
CREATE INDEX "oss_queues_tenant" ON "oss_queues" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "oss_queues_changed" ON "oss_queues" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "oss_spans_device" ON "oss_spans" USING btree ("device_id","channel","from_time");--> statement-breakpoint
CREATE INDEX "oss_spans_entitlement" ON "oss_spans" USING btree ("entitlement_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "dict_data_value" ON "dict_data" USING btree ("dict_type","dict_value") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "dict_data_sort" ON "dict_data" USING btree ("dict_type","dict_sort","dict_code");--> statement-breakpoint
CREATE UNIQUE INDEX "dict_types_type" ON "dict_types" USING btree ("dict_type") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "files_sha256" ON "files" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "files_unused" ON "files" USING btree ("create_time") WHERE used_time is null;--> statement-breakpoint
CREATE INDEX "files_tenant" ON "files" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_time" ON "idempotency_keys" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("job_id") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "jobs_uid" ON "jobs" USING btree ("uid","job_id");--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_unique" ON "jobs" USING btree ("unique_key") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "login_logs_id" ON "login_logs" USING btree ("info_id");--> statement-breakpoint
CREATE INDEX "login_logs_account" ON "login_logs" USING btree ("account","login_time");--> statement-breakpoint
CREATE INDEX "login_logs_tenant" ON "login_logs" USING btree ("tenant_id","login_time");--> statement-breakpoint
CREATE INDEX "menus_parent" ON "menus" USING btree ("parent_id","sort","id");--> statement-breakpoint
CREATE UNIQUE INDEX "menus_url" ON "menus" USING btree ("url") WHERE deleted_at is null and type = 'C';--> statement-breakpoint
CREATE UNIQUE INDEX "menus_perms" ON "menus" USING btree ("perms") WHERE deleted_at is null and perms <> '';--> statement-breakpoint
CREATE INDEX "notice_reads_uid" ON "notice_reads" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "notices_publish" ON "notices" USING btree ("status","publish_time","notice_id");--> statement-breakpoint
CREATE INDEX "notices_tenant" ON "notices" USING btree ("tenant_id","notice_id");--> statement-breakpoint
CREATE INDEX "notices_publish_time" ON "notices" USING btree ("publish_time" NULLS FIRST,"notice_id");--> statement-breakpoint
CREATE INDEX "notices_live" ON "notices" USING btree ("target","tenant_id") WHERE status = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "notices_targets" ON "notices" USING gin ("target_ids") WHERE status = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "oper_logs_id" ON "oper_logs" USING btree ("oper_id");--> statement-breakpoint
CREATE INDEX "oper_logs_biz" ON "oper_logs" USING btree ("biz_type","biz_id","oper_time");--> statement-breakpoint
CREATE INDEX "oper_logs_uid" ON "oper_logs" USING btree ("uid","oper_time");--> statement-breakpoint
CREATE INDEX "oper_logs_name" ON "oper_logs" USING btree ("oper_name","oper_time");--> statement-breakpoint
CREATE INDEX "oper_logs_tenant" ON "oper_logs" USING btree ("tenant_id","oper_time");--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_fingerprint" ON "uploads" USING btree ("uid","fingerprint");--> statement-breakpoint
CREATE INDEX "uploads_update" ON "uploads" USING btree ("update_time");--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_account" ON "app_accounts" USING btree ("tenant_id",lower("account")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_mobile" ON "app_accounts" USING btree ("tenant_id","mobile_no") WHERE deleted_at is null and mobile_no is not null;--> statement-breakpoint
CREATE INDEX "app_accounts_tenant" ON "app_accounts" USING btree ("tenant_id","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_registered" ON "app_accounts" USING btree ("register_time","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_active" ON "app_accounts" USING btree ("last_active_time" NULLS FIRST,"uid");--> statement-breakpoint
CREATE UNIQUE INDEX "industries_name" ON "industries" USING btree ("parent_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "industries_code" ON "industries" USING btree ("code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "scene_menus_menu" ON "scene_menus" USING btree ("menu_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scenes_name" ON "scenes" USING btree ("scene_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "scenes_code" ON "scenes" USING btree ("scene_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "tenant_scenes_scene" ON "tenant_scenes" USING btree ("scene_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_no" ON "tenants" USING btree ("tenant_no");--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_name" ON "tenants" USING btree ("name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_join_code" ON "tenants" USING btree ("join_code");--> statement-breakpoint
CREATE INDEX "tenants_industry" ON "tenants" USING btree ("industry_id");--> statement-breakpoint
CREATE INDEX "tenants_expire" ON "tenants" USING btree ("expire_time") WHERE deleted_at is null and expire_time is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "user_applications_no" ON "user_applications" USING btree ("apply_no");--> statement-breakpoint
CREATE UNIQUE INDEX "user_applications_pending" ON "user_applications" USING btree ("uid","tenant_id") WHERE status = 0;--> statement-breakpoint
CREATE INDEX "user_applications_tenant" ON "user_applications" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "user_applications_created" ON "user_applications" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "user_applications_audited" ON "user_applications" USING btree ("audit_time" NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "user_applications_open" ON "user_applications" USING btree ("create_time","id") WHERE status = 0;--> statement-breakpoint
CREATE INDEX "user_applications_uid" ON "user_applications" USING btree ("uid","id");--> statement-breakpoint
CREATE INDEX "ticket_facts_dim" ON "ticket_facts" USING btree ("dim","day","tenant_id","model_id");--> statement-breakpoint
CREATE INDEX "ticket_facts_fresh" ON "ticket_facts" USING btree ("day") WHERE fresh;--> statement-breakpoint
CREATE INDEX "ticket_records_ticket" ON "ticket_records" USING btree ("ticket_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ticket_templates_title" ON "ticket_templates" USING btree ("tenant_id","title") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_no" ON "tickets" USING btree ("feedback_no");--> statement-breakpoint
CREATE INDEX "tickets_tenant" ON "tickets" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "tickets_device" ON "tickets" USING btree ("device_id","id") WHERE device_id is not null;--> statement-breakpoint
CREATE INDEX "tickets_sn" ON "tickets" USING btree ("sn","id") WHERE sn <> '';--> statement-breakpoint
CREATE INDEX "tickets_created" ON "tickets" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "tickets_closed" ON "tickets" USING btree ("close_time","id") WHERE close_time is not null;--> statement-breakpoint
CREATE INDEX "tickets_updated" ON "tickets" USING btree ("update_time","id");--> statement-breakpoint
CREATE INDEX "tickets_open" ON "tickets" USING btree ("handler_id","id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_counts" ON "tickets" USING btree ("handler_id","sla_state","status","suspend_until","tenant_id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_all" ON "tickets" USING btree ("id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_priority" ON "tickets" USING btree ("priority","id");--> statement-breakpoint
CREATE INDEX "tickets_open_priority" ON "tickets" USING btree ("priority","id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_status" ON "tickets" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "tickets_handler" ON "tickets" USING btree ("last_handler_id","id");--> statement-breakpoint
CREATE INDEX "tickets_model" ON "tickets" USING btree ("model_id","ver_code","id");--> statement-breakpoint
CREATE INDEX "tickets_sla" ON "tickets" USING btree ("sla_next_time") WHERE sla_next_time is not null;--> statement-breakpoint
CREATE INDEX "tickets_remind" ON "tickets" USING btree ("suspend_until") WHERE suspend_until is not null;--> statement-breakpoint
CREATE INDEX "tickets_breached" ON "tickets" USING btree ("id") WHERE sla_state = 3 and status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_tags" ON "tickets" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "tickets_attr" ON "tickets" USING gin ("problem_attr");--> statement-breakpoint
CREATE INDEX "tickets_merged" ON "tickets" USING btree ("merged_into_id") WHERE merged_into_id is not null;--> statement-breakpoint
CREATE INDEX "ota_alarms_open" ON "ota_alarms" USING btree ("tenant_id","id") WHERE close_time is null;--> statement-breakpoint
CREATE UNIQUE INDEX "ota_manifests_release" ON "ota_manifests" USING btree ("tenant_id","model_id","package_name","release");--> statement-breakpoint
CREATE INDEX "ota_policies_tenant" ON "ota_policies" USING btree ("tenant_id","ota_id");--> statement-breakpoint
CREATE INDEX "ota_task_logs_task" ON "ota_task_logs" USING btree ("task_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_tasks_open" ON "ota_tasks" USING btree ("device_id","package_name") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_tasks_version" ON "ota_tasks" USING btree ("ota_id","state","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_newest" ON "ota_tasks" USING btree ("ota_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_updated" ON "ota_tasks" USING btree ("ota_id","update_time","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_device" ON "ota_tasks" USING btree ("device_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_tenant" ON "ota_tasks" USING btree ("tenant_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_silent" ON "ota_tasks" USING btree ("update_time") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_tasks_changed" ON "ota_tasks" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "ota_whites_device" ON "ota_whites" USING btree ("device_id");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "saved_views" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_former_members" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (EXISTS (SELECT FROM device_groups g WHERE g.id = group_id)) WITH CHECK (EXISTS (SELECT FROM device_groups g WHERE g.id = group_id));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_fresh" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_play_hours" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_plays" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_rejects" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_screen_periods" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_screens" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_materials" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_program_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_programs" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_uses" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ad_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "ads" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_contacts" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_devices" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_identity_keys" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_params" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_reminders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_servers" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_after" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_sessions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_turns" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_voiceprints" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_models" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_reads" ON "agent_models" AS PERMISSIVE FOR SELECT TO "oms_tenant" USING (tenant_id = 1 and shared = 1);--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_secrets" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_voice_clones" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_voices" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_reads" ON "agent_voices" AS PERMISSIVE FOR SELECT TO "oms_tenant" USING (tenant_id = 1);--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_grants" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_ledger" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_order_refunds" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_order_targets" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_orders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_trials" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_try_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_completions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_usage" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_templates" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_reads" ON "agent_templates" AS PERMISSIVE FOR SELECT TO "oms_tenant" USING (tenant_id = 1);--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_word_files" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agents" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "device_former_tenants" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "outbox_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "webhook_deliveries" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "webhook_endpoints" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_app_keys" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_consents" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_views" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_grant_files" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_allowance_ledger" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_allowances" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_card_batches" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_cards" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_hook_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_hooks" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_notices" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_order_items" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_orders" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_refunds" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_device_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_device_status" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_purges" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_segments" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_stored" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_trouble_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "oss_usage_days" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));