CREATE EXTENSION IF NOT EXISTS pg_trgm;
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
CREATE TABLE "fleet_samples" (
	"span" smallint NOT NULL,
	"start" timestamp (3) with time zone NOT NULL,
	"tenant_id" integer NOT NULL,
	"devices" integer NOT NULL,
	"online" integer NOT NULL,
	CONSTRAINT "fleet_samples_pk" PRIMARY KEY("span","start","tenant_id")
);
--> statement-breakpoint
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
CREATE TABLE "settings" (
	"key" varchar(50) PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
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
CREATE TABLE "scene_device_types" (
	"scene_id" integer NOT NULL,
	"device_type_id" integer NOT NULL,
	CONSTRAINT "scene_device_types_pk" PRIMARY KEY("scene_id","device_type_id")
);
--> statement-breakpoint
CREATE TABLE "scene_industries" (
	"scene_id" integer NOT NULL,
	"industry_id" integer NOT NULL,
	CONSTRAINT "scene_industries_pk" PRIMARY KEY("scene_id","industry_id")
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
CREATE TABLE "ticket_fleet" (
	"tenant_id" integer NOT NULL,
	"model_id" integer NOT NULL,
	"ver_code" integer NOT NULL,
	"os_ver" varchar(64) DEFAULT '' NOT NULL,
	"devices" integer NOT NULL,
	"count_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ticket_fleet_pk" PRIMARY KEY("tenant_id","model_id","ver_code")
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
CREATE INDEX "accounts_last_login" ON "accounts" USING btree ("last_login_time","uid");--> statement-breakpoint
CREATE INDEX "challenges_expire" ON "challenges" USING btree ("expire_time");--> statement-breakpoint
CREATE INDEX "challenges_uid" ON "challenges" USING btree ("uid","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "display_links_token" ON "display_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "display_links_tenant" ON "display_links" USING btree ("tenant_id","id") WHERE revoke_time is null;--> statement-breakpoint
CREATE INDEX "login_failures_last" ON "login_failures" USING btree ("last_time");--> statement-breakpoint
CREATE INDEX "role_menus_menu" ON "role_menus" USING btree ("menu_id");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name" ON "roles" USING btree ("tenant_id","role_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_code" ON "roles" USING btree ("tenant_id","role_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "roles_sort" ON "roles" USING btree ("tenant_id","role_sort","id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_uid" ON "sessions" USING btree ("uid") WHERE end_time is null;--> statement-breakpoint
CREATE INDEX "sessions_live" ON "sessions" USING btree ("last_active_time","id") WHERE end_time is null;--> statement-breakpoint
CREATE INDEX "device_group_members_device" ON "device_group_members" USING btree ("device_id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_groups_name" ON "device_groups" USING btree ("tenant_id","group_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_groups_tenant" ON "device_groups" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_name" ON "device_models" USING btree ("model_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_code" ON "device_models" USING btree ("model_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_models_type" ON "device_models" USING btree ("type_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_name" ON "device_types" USING btree ("type_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_code" ON "device_types" USING btree ("type_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_versions_device" ON "device_versions" USING btree ("device_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_sn" ON "devices" USING btree ("sn") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_uid" ON "devices" USING btree ("uid") WHERE deleted_at is null and uid <> '';--> statement-breakpoint
CREATE INDEX "devices_mac" ON "devices" USING btree ("mac") WHERE mac <> '';--> statement-breakpoint
CREATE INDEX "devices_tenant" ON "devices" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "devices_model" ON "devices" USING btree ("model_id","id");--> statement-breakpoint
CREATE INDEX "devices_version" ON "devices" USING btree ("model_id","ver_code","id");--> statement-breakpoint
CREATE INDEX "devices_online" ON "devices" USING btree ("id") WHERE online = 1 and deleted_at is null;--> statement-breakpoint
CREATE INDEX "devices_activated" ON "devices" USING btree ("activate_time");--> statement-breakpoint
CREATE INDEX "devices_app_account" ON "devices" USING btree ("app_account_id") WHERE app_account_id is not null;--> statement-breakpoint
CREATE INDEX "devices_tags" ON "devices" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "devices_changed" ON "devices" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "fleet_samples_tenant" ON "fleet_samples" USING btree ("tenant_id","span","start");--> statement-breakpoint
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
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("kind","release_date" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_number" ON "ota_versions" USING btree ("kind","ver_code" NULLS FIRST,"ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_updated" ON "ota_versions" USING btree ("kind","update_time" NULLS FIRST,"ota_id");--> statement-breakpoint
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
CREATE INDEX "oper_logs_tenant" ON "oper_logs" USING btree ("tenant_id","oper_time");--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_fingerprint" ON "uploads" USING btree ("uid","fingerprint");--> statement-breakpoint
CREATE INDEX "uploads_update" ON "uploads" USING btree ("update_time");--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_account" ON "app_accounts" USING btree ("tenant_id",lower("account")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "app_accounts_mobile" ON "app_accounts" USING btree ("tenant_id","mobile_no") WHERE deleted_at is null and mobile_no is not null;--> statement-breakpoint
CREATE INDEX "app_accounts_tenant" ON "app_accounts" USING btree ("tenant_id","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_registered" ON "app_accounts" USING btree ("register_time","uid");--> statement-breakpoint
CREATE INDEX "app_accounts_active" ON "app_accounts" USING btree ("last_active_time","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "industries_name" ON "industries" USING btree ("parent_id","name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "industries_code" ON "industries" USING btree ("code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "scene_device_types_type" ON "scene_device_types" USING btree ("device_type_id");--> statement-breakpoint
CREATE INDEX "scene_industries_industry" ON "scene_industries" USING btree ("industry_id");--> statement-breakpoint
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
CREATE INDEX "user_applications_open" ON "user_applications" USING btree ("create_time","id") WHERE status = 0;--> statement-breakpoint
CREATE INDEX "user_applications_uid" ON "user_applications" USING btree ("uid","id");--> statement-breakpoint
CREATE INDEX "ticket_facts_dim" ON "ticket_facts" USING btree ("dim","day","tenant_id","model_id");--> statement-breakpoint
CREATE INDEX "ticket_facts_fresh" ON "ticket_facts" USING btree ("day") WHERE fresh;--> statement-breakpoint
CREATE INDEX "ticket_records_ticket" ON "ticket_records" USING btree ("ticket_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "ticket_templates_title" ON "ticket_templates" USING btree ("tenant_id","title") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_no" ON "tickets" USING btree ("feedback_no");--> statement-breakpoint
CREATE INDEX "tickets_tenant" ON "tickets" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "tickets_sn" ON "tickets" USING btree ("sn","id") WHERE sn <> '';--> statement-breakpoint
CREATE INDEX "tickets_created" ON "tickets" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "tickets_closed" ON "tickets" USING btree ("close_time","id") WHERE close_time is not null;--> statement-breakpoint
CREATE INDEX "tickets_updated" ON "tickets" USING btree ("update_time","id");--> statement-breakpoint
CREATE INDEX "tickets_open" ON "tickets" USING btree ("handler_id","id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_counts" ON "tickets" USING btree ("handler_id","sla_state","status","suspend_until","tenant_id") WHERE status <> 5;--> statement-breakpoint
CREATE INDEX "tickets_open_all" ON "tickets" USING btree ("id") WHERE status <> 5;--> statement-breakpoint
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
CREATE INDEX "ota_tasks_updated" ON "ota_tasks" USING btree ("ota_id","update_time" NULLS FIRST,"task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_device" ON "ota_tasks" USING btree ("device_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_tenant" ON "ota_tasks" USING btree ("tenant_id","task_id");--> statement-breakpoint
CREATE INDEX "ota_tasks_silent" ON "ota_tasks" USING btree ("update_time") WHERE close_time is null;--> statement-breakpoint
CREATE INDEX "ota_tasks_changed" ON "ota_tasks" USING btree ("changed");--> statement-breakpoint
CREATE INDEX "ota_whites_device" ON "ota_whites" USING btree ("device_id");