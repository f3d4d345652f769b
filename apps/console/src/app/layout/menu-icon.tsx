import { lazy, Suspense } from 'react'
import { loadChunk } from '#kernel/load-chunk.ts'
import { storeOf, useStore } from '#kernel/store.ts'

interface Props {
  readonly name: string
  readonly url: string
}

type Drawings = typeof import('#kit/menu-icons-builtin.tsx')
const drawings = storeOf<Drawings | undefined>(undefined)

/** Fetches the drawings; one that does not come leaves its box empty. */
export const loadMenuIcons = () => loadChunk(() => import('#kit/menu-icons-builtin.tsx')).then(drawings.set, () => {})

/** An icon somebody chose for a menu of his own: all drawings come for it. */
const Chosen = lazy(async () => {
  const { ICONS } = await loadChunk(() => import('#kit/menu-icons.tsx'))
  const ChosenIcon = ({ name }: Props) => {
    const Icon = ICONS[name] ?? ICONS['appstore']
    return Icon && <Icon />
  }
  return { default: ChosenIcon }
})

function Drawn({ name, url }: Props) {
  const drawn = useStore(drawings)
  if (!drawn) return null
  const { BUILTIN_ICONS, ICON_OF_MODULE } = drawn
  const Icon = BUILTIN_ICONS[name] ?? BUILTIN_ICONS[ICON_OF_MODULE[url.split('/')[1] ?? ''] ?? 'appstore']
  if (name && !BUILTIN_ICONS[name]) {
    return (
      <Suspense>
        <Chosen name={name} url={url} />
      </Suspense>
    )
  }
  return Icon && <Icon />
}

/** A menu's icon by name; an empty box of the same size until the drawings arrive. */
export const MenuIcon = (props: Props) => (
  <span className="menu-icon" aria-hidden="true">
    <Drawn {...props} />
  </span>
)
