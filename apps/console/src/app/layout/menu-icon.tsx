import { lazy, Suspense } from 'react'
import { loadChunk } from '#kernel/load-chunk.ts'

interface Props {
  readonly name: string
  readonly url: string
}

const Drawn = lazy(async () => {
  const { BUILTIN_ICONS, ICON_OF_MODULE } = await loadChunk(() => import('#kit/menu-icons-builtin.tsx'))
  const DrawnIcon = ({ name, url }: Props) => {
    const Icon = BUILTIN_ICONS[name] ?? BUILTIN_ICONS[ICON_OF_MODULE[url.split('/')[1] ?? ''] ?? 'appstore']
    return name && !BUILTIN_ICONS[name] ? <Chosen name={name} url={url} /> : Icon && <Icon />
  }
  return { default: DrawnIcon }
})

/** An icon somebody chose for a menu of his own: all drawings come for it. */
const Chosen = lazy(async () => {
  const { ICONS } = await loadChunk(() => import('#kit/menu-icons.tsx'))
  const ChosenIcon = ({ name }: Props) => {
    const Icon = ICONS[name] ?? ICONS['appstore']
    return Icon && <Icon />
  }
  return { default: ChosenIcon }
})

/** A menu's icon by name; an empty box of the same size until the drawings arrive. */
export const MenuIcon = (props: Props) => (
  <span className="ant-menu-item-icon menu-icon" aria-hidden="true">
    <Suspense>
      <Drawn {...props} />
    </Suspense>
  </span>
)
