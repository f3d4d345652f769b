-- General software was released with the rights of firmware until it got rights of its own: roles and scenes that let
-- somebody do so, and see the page, go on letting them. The rights themselves come with the program's next start where
-- they are missing, so they are made here as that would make them.
INSERT INTO menus (parent_id, type, name, perms, sort, is_builtin)
SELECT page.id, 'F', held.name, replace(held.perms, 'upgrade:ota:', 'upgrade:GeneralSoftware:'), held.sort, 1
FROM menus held
JOIN menus page ON page.type = 'C' AND page.url = '/upgrade/GeneralSoftware' AND page.deleted_at IS NULL
WHERE held.deleted_at IS NULL
  AND held.perms IN ('upgrade:ota:white', 'upgrade:ota:whiteAll', 'upgrade:ota:publish', 'upgrade:ota:audit', 'upgrade:ota:task', 'upgrade:ota:push')
  AND NOT EXISTS (SELECT FROM menus own WHERE own.perms = replace(held.perms, 'upgrade:ota:', 'upgrade:GeneralSoftware:') AND own.deleted_at IS NULL);
--> statement-breakpoint
INSERT INTO role_menus (role_id, menu_id)
SELECT given.role_id, own.id
FROM role_menus given
JOIN menus held ON held.id = given.menu_id AND held.deleted_at IS NULL
  AND held.perms IN ('upgrade:ota:white', 'upgrade:ota:whiteAll', 'upgrade:ota:publish', 'upgrade:ota:audit', 'upgrade:ota:task', 'upgrade:ota:push')
JOIN menus own ON own.perms = replace(held.perms, 'upgrade:ota:', 'upgrade:GeneralSoftware:') AND own.deleted_at IS NULL
WHERE EXISTS (SELECT FROM role_menus sees JOIN menus list ON list.id = sees.menu_id
  WHERE sees.role_id = given.role_id AND list.perms = 'upgrade:GeneralSoftware:list' AND list.deleted_at IS NULL)
ON CONFLICT DO NOTHING;
--> statement-breakpoint
INSERT INTO scene_menus (scene_id, menu_id)
SELECT given.scene_id, own.id
FROM scene_menus given
JOIN menus held ON held.id = given.menu_id AND held.deleted_at IS NULL
  AND held.perms IN ('upgrade:ota:white', 'upgrade:ota:whiteAll', 'upgrade:ota:publish', 'upgrade:ota:audit', 'upgrade:ota:task', 'upgrade:ota:push')
JOIN menus own ON own.perms = replace(held.perms, 'upgrade:ota:', 'upgrade:GeneralSoftware:') AND own.deleted_at IS NULL
WHERE EXISTS (SELECT FROM scene_menus sees JOIN menus list ON list.id = sees.menu_id
  WHERE sees.scene_id = given.scene_id AND list.perms = 'upgrade:GeneralSoftware:list' AND list.deleted_at IS NULL)
ON CONFLICT DO NOTHING;
