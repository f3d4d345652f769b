ALTER TABLE "agents" ADD COLUMN "memory_edit_time" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agent_devices" ADD COLUMN "memory_edit_time" timestamp (3) with time zone;
