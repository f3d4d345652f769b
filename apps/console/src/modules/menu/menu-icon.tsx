import { ICONS } from '#kit/menu-icons.tsx'

/** Names a menu's icon may have: those the sidebar draws. */
export const MENU_ICONS = Object.keys(ICONS)

/** A menu's icon; nothing for a name nobody draws. */
export function MenuIcon({ name }: { name: string }) {
  const Icon = ICONS[name]
  return Icon ? <Icon aria-hidden /> : null
}
