import { ICONS } from '#kit/pickers/menu-icons.tsx'

/** Icon names that a menu may use. The sidebar can draw each of these icons. */
export const MENU_ICONS = Object.keys(ICONS)

/** Shows the icon of a menu. Renders nothing for an unknown name. */
export function MenuIcon({ name }: { name: string }) {
  const Icon = ICONS[name]
  return Icon ? <Icon aria-hidden /> : null
}
