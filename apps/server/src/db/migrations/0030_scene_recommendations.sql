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
CREATE INDEX "scene_device_types_type" ON "scene_device_types" USING btree ("device_type_id");--> statement-breakpoint
CREATE INDEX "scene_industries_industry" ON "scene_industries" USING btree ("industry_id");