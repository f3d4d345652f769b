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
CREATE TABLE "device_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"type_id" integer NOT NULL,
	"model_name" varchar(32) NOT NULL,
	"model_code" varchar(32) NOT NULL,
	"picture" varchar(255) DEFAULT '' NOT NULL,
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
	"run_after" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"heartbeat" timestamp (3) with time zone,
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
CREATE INDEX "account_roles_role" ON "account_roles" USING btree ("role_id","uid");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_account" ON "accounts" USING btree (lower("account")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_mobile" ON "accounts" USING btree ("mobile_no") WHERE deleted_at is null and mobile_no is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email")) WHERE deleted_at is null and email is not null;--> statement-breakpoint
CREATE INDEX "accounts_tenant" ON "accounts" USING btree ("tenant_id","uid");--> statement-breakpoint
CREATE INDEX "accounts_create_time" ON "accounts" USING btree ("create_time","uid");--> statement-breakpoint
CREATE INDEX "accounts_last_login" ON "accounts" USING btree ("last_login_time","uid");--> statement-breakpoint
CREATE INDEX "challenges_expire" ON "challenges" USING btree ("expire_time");--> statement-breakpoint
CREATE INDEX "challenges_uid" ON "challenges" USING btree ("uid","kind");--> statement-breakpoint
CREATE INDEX "login_failures_last" ON "login_failures" USING btree ("last_time");--> statement-breakpoint
CREATE INDEX "role_menus_menu" ON "role_menus" USING btree ("menu_id");--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name" ON "roles" USING btree ("tenant_id","role_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "roles_code" ON "roles" USING btree ("tenant_id","role_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "roles_sort" ON "roles" USING btree ("tenant_id","role_sort","id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_uid" ON "sessions" USING btree ("uid") WHERE end_time is null;--> statement-breakpoint
CREATE INDEX "sessions_live" ON "sessions" USING btree ("last_active_time","id") WHERE end_time is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_name" ON "device_models" USING btree ("model_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_models_code" ON "device_models" USING btree ("model_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "device_models_type" ON "device_models" USING btree ("type_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_name" ON "device_types" USING btree ("type_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "device_types_code" ON "device_types" USING btree ("type_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ota_components_version" ON "ota_components" USING btree ("ota_id","sort");--> statement-breakpoint
CREATE INDEX "ota_components_file" ON "ota_components" USING btree ("file_id");--> statement-breakpoint
CREATE UNIQUE INDEX "ota_versions_code" ON "ota_versions" USING btree ("tenant_id","model_id","ver_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "ota_versions_tenant" ON "ota_versions" USING btree ("tenant_id","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_model" ON "ota_versions" USING btree ("model_id","ota_id");--> statement-breakpoint
CREATE INDEX "ota_versions_release" ON "ota_versions" USING btree ("release_date","ota_id");--> statement-breakpoint
CREATE UNIQUE INDEX "dict_data_value" ON "dict_data" USING btree ("dict_type","dict_value") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "dict_data_sort" ON "dict_data" USING btree ("dict_type","dict_sort","dict_code");--> statement-breakpoint
CREATE UNIQUE INDEX "dict_types_type" ON "dict_types" USING btree ("dict_type") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "files_sha256" ON "files" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "files_unused" ON "files" USING btree ("create_time") WHERE used_time is null;--> statement-breakpoint
CREATE INDEX "files_tenant" ON "files" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_time" ON "idempotency_keys" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "jobs_ready" ON "jobs" USING btree ("run_after","job_id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "jobs_running" ON "jobs" USING btree ("heartbeat") WHERE state = 'running';--> statement-breakpoint
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
CREATE INDEX "oper_logs_id" ON "oper_logs" USING btree ("oper_id");--> statement-breakpoint
CREATE INDEX "oper_logs_biz" ON "oper_logs" USING btree ("biz_type","biz_id","oper_time");--> statement-breakpoint
CREATE INDEX "oper_logs_uid" ON "oper_logs" USING btree ("uid","oper_time");--> statement-breakpoint
CREATE INDEX "oper_logs_tenant" ON "oper_logs" USING btree ("tenant_id","oper_time");--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_fingerprint" ON "uploads" USING btree ("uid","fingerprint");--> statement-breakpoint
CREATE INDEX "uploads_update" ON "uploads" USING btree ("update_time");--> statement-breakpoint
CREATE INDEX "scene_menus_menu" ON "scene_menus" USING btree ("menu_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scenes_name" ON "scenes" USING btree ("scene_name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "scenes_code" ON "scenes" USING btree ("scene_code") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "tenant_scenes_scene" ON "tenant_scenes" USING btree ("scene_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_no" ON "tenants" USING btree ("tenant_no");--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_name" ON "tenants" USING btree ("name") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_join_code" ON "tenants" USING btree ("join_code");