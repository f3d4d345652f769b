CREATE TABLE "ota_paces" (
	"ota_id" integer PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"handed" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ota_stages" ADD COLUMN "max_minutes" integer DEFAULT 1440 NOT NULL;