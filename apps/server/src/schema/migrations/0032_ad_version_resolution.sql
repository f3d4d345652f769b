ALTER TABLE "ad_program_versions" ADD COLUMN "resolution" varchar(16) DEFAULT '' NOT NULL;--> statement-breakpoint
-- Versions that were published before this column existed get the resolution of their program, which applied to them.
UPDATE ad_program_versions v SET resolution = p.resolution FROM ad_programs p
WHERE p.id = v.program_id AND p.resolution <> '';
