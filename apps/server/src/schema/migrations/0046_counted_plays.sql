CREATE TABLE "oss_counted_plays" (
	"request" uuid PRIMARY KEY NOT NULL,
	"count_time" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "oss_counted_plays_time" ON "oss_counted_plays" USING btree ("count_time");