CREATE TABLE "agent_completions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" integer NOT NULL,
	"create_time" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_completions" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "agent_devices" ADD COLUMN "server_address" varchar(45) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_devices" ADD COLUMN "server_client" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "agent_completions_created" ON "agent_completions" USING btree ("create_time");--> statement-breakpoint
CREATE INDEX "agent_grants_used_up" ON "agent_grants" USING btree ("tenant_id","id") WHERE state = 2 and coalesce(warned_share, 100) > 0;--> statement-breakpoint
CREATE INDEX "agent_usage_device_days" ON "agent_usage" USING btree ("day","device_id") WHERE folded = 1 and device_id > 0;--> statement-breakpoint
CREATE POLICY "tenant_isolation" ON "agent_completions" AS PERMISSIVE FOR ALL TO "oms_tenant" USING (tenant_id = (SELECT current_setting('oms.tenant')::integer)) WITH CHECK (tenant_id = (SELECT current_setting('oms.tenant')::integer));