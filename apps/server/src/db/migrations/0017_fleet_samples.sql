CREATE TABLE "fleet_samples" (
	"span" smallint NOT NULL,
	"start" timestamp (3) with time zone NOT NULL,
	"tenant_id" integer NOT NULL,
	"devices" integer NOT NULL,
	"online" integer NOT NULL,
	CONSTRAINT "fleet_samples_pk" PRIMARY KEY("span","start","tenant_id")
);
--> statement-breakpoint
CREATE INDEX "fleet_samples_tenant" ON "fleet_samples" USING btree ("tenant_id","span","start");