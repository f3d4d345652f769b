ALTER TABLE "agent_grants" ADD COLUMN "warned_days" smallint;--> statement-breakpoint
ALTER TABLE "agent_grants" ADD COLUMN "warned_share" smallint;--> statement-breakpoint
ALTER TABLE "agent_grants" ADD COLUMN "low_share" smallint GENERATED ALWAYS AS (case when is_unlimited = 1 then null when remaining * 20 <= total then 5 when remaining * 5 <= total then 20 end) STORED;--> statement-breakpoint
CREATE INDEX "agent_grants_ending" ON "agent_grants" USING btree ("tenant_id","valid_until") WHERE state = 1 and is_frozen = 0 and coalesce(warned_days, 100) > 7;--> statement-breakpoint
CREATE INDEX "agent_grants_low" ON "agent_grants" USING btree ("tenant_id","id") WHERE state = 1 and is_frozen = 0 and low_share < coalesce(warned_share, 100);