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
	"boot_time" timestamp (3) with time zone,
	"session_time" timestamp (3) with time zone,
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
CREATE TABLE "agent_question_runs" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"version_no" integer NOT NULL,
	"candidate_no" integer,
	"state" smallint DEFAULT 0 NOT NULL,
	"answers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error" varchar(300) DEFAULT '' NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"end_time" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "agent_question_runs" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE "agent_questions" (
	"id" serial PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"agent_id" integer NOT NULL,
	"question" varchar(1000) NOT NULL,
	"must_have" varchar(50)[] DEFAULT '{}'::varchar[] NOT NULL,
	"must_not_have" varchar(50)[] DEFAULT '{}'::varchar[] NOT NULL,
	"sort" integer DEFAULT 0 NOT NULL,
	"create_by" integer,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"update_by" integer,
	"update_time" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"rev" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_questions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
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
	"word_file_ids" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"tags" varchar(20)[] DEFAULT '{}'::varchar[] NOT NULL,
	"memory" varchar(2000) DEFAULT '' NOT NULL,
	"version_no" integer DEFAULT 1 NOT NULL,
	"candidate_no" integer,
	"candidate_share" smallint DEFAULT 0 NOT NULL,
	"candidate_device_ids" integer[] DEFAULT '{}'::integer[] NOT NULL,
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
ALTER TABLE "device_models" ADD COLUMN "boards" text[] DEFAULT '{}'::text[] NOT NULL;--> statement-breakpoint
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
CREATE INDEX "agent_devices_boot" ON "agent_devices" USING btree ("boot_time","device_id");--> statement-breakpoint
CREATE INDEX "agent_devices_turn" ON "agent_devices" USING btree ("turn_time","device_id");--> statement-breakpoint
CREATE INDEX "agent_events_mac" ON "agent_events" USING btree ("mac","id");--> statement-breakpoint
CREATE INDEX "agent_events_time" ON "agent_events" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "agent_identity_keys_tenant" ON "agent_identity_keys" USING btree ("tenant_id","create_time");--> statement-breakpoint
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
CREATE INDEX "agent_question_runs_agent" ON "agent_question_runs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "agent_questions_agent" ON "agent_questions" USING btree ("agent_id","sort","id");--> statement-breakpoint
CREATE INDEX "agent_templates_sort" ON "agent_templates" USING btree ("sort","id");--> statement-breakpoint
CREATE INDEX "agent_templates_created" ON "agent_templates" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agent_templates_tenant" ON "agent_templates" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_word_files_tenant" ON "agent_word_files" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agent_word_files_created" ON "agent_word_files" USING btree ("create_time","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_code" ON "agents" USING btree ("agent_code");--> statement-breakpoint
CREATE INDEX "agents_tenant" ON "agents" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "agents_created" ON "agents" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "agents_updated" ON "agents" USING btree ("update_time","id");--> statement-breakpoint
CREATE INDEX "agents_name" ON "agents" USING btree ("agent_name","id");--> statement-breakpoint
CREATE INDEX "agents_tags" ON "agents" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "agents_llm" ON "agents" USING btree ("llm_id");--> statement-breakpoint
CREATE INDEX "agents_tts" ON "agents" USING btree ("tts_id");--> statement-breakpoint
CREATE INDEX "agents_voice" ON "agents" USING btree ("voice_id");--> statement-breakpoint
CREATE INDEX "device_models_boards" ON "device_models" USING gin ("boards");--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_contacts" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_devices" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_events" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_identity_keys" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_params" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
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
CREATE POLICY "tenant_isolation" ON "agent_question_runs" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_questions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_templates" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_reads" ON "agent_templates" AS PERMISSIVE FOR SELECT TO "oms_tenant" USING (tenant_id = 1);--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_versions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_word_files" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agents" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));
--> statement-breakpoint
CREATE INDEX agents_name_trgm ON agents USING gin (agent_name gin_trgm_ops);
--> statement-breakpoint
-- Devices update their own rows at each boot and session; such an update fits in the page.
ALTER TABLE agent_devices SET (fillfactor = 85);
--> statement-breakpoint
-- Providers belong to the platform; tenants read them.
ALTER TABLE agent_providers ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant_reads ON agent_providers FOR SELECT TO oms_tenant USING (true);
--> statement-breakpoint
-- Turns of months without a partition: the clock of the voice server is far off.
CREATE TABLE agent_turns_other PARTITION OF agent_turns DEFAULT;
--> statement-breakpoint
-- Creates the partitions of `agent_turns`: from last month to `ahead` months after this month. Policies of the parent do
-- not hold when a partition is named directly, so tenants have no rights on partitions.
CREATE FUNCTION oms_ensure_agent_turns(ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text;
BEGIN
  PERFORM oms_ensure_partitions('agent_turns', ahead);
  FOR part IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'agent_turns'::regclass LOOP
    EXECUTE format('REVOKE ALL ON %s FROM oms_tenant', part);
  END LOOP;
END $$;
--> statement-breakpoint
SELECT oms_ensure_agent_turns(3);
--> statement-breakpoint
-- Refuses a board that another model has.
CREATE FUNCTION oms_model_boards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7302519, 6);
  IF EXISTS (SELECT FROM device_models m WHERE m.id <> NEW.id AND m.deleted_at IS NULL AND m.boards && NEW.boards) THEN
    RAISE EXCEPTION 'a board belongs to another model' USING ERRCODE = 'unique_violation', CONSTRAINT = 'device_models_board';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER device_models_boards BEFORE INSERT OR UPDATE OF boards, deleted_at ON device_models
  FOR EACH ROW WHEN (NEW.deleted_at IS NULL AND cardinality(NEW.boards) > 0) EXECUTE FUNCTION oms_model_boards();
