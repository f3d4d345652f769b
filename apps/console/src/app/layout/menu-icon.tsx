import { lazy, Suspense } from 'react'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { createStore, useStore } from '#core/events/store.ts'

interface Props {
  readonly name: string
  readonly url: string
}

type Drawings = typeof import('#kit/pickers/menu-icons-builtin.tsx')
const drawings = createStore<Drawings | undefined>(undefined)

/** Loads the icons; after a failure the box stays empty. */
export const loadMenuIcons = () =>
  loadChunk(() => import('#kit/pickers/menu-icons-builtin.tsx')).then(drawings.set, () => {})

/** Icon whose name is outside the built-in set. Loads all icons. */
const Chosen = lazy(async () => {
  const { ICONS } = await loadChunk(() => import('#kit/pickers/menu-icons.tsx'))
  const ChosenIcon = ({ name }: Props) => {
    const Icon = ICONS[name] ?? ICONS['appstore']
    return Icon && <Icon />
  }
  return { default: ChosenIcon }
})

function LoadedIcon({ name, url }: Props) {
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

/** Renders a menu's icon by name; an empty box of the same size until the icons are loaded. */
export const MenuIcon = (props: Props) => (
  <span className="menu-icon" aria-hidden="true">
    <LoadedIcon {...props} />
  </span>
)
