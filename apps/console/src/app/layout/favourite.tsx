import { StarFilled, StarOutlined } from '@ant-design/icons'
import { HOME } from '#core/routing/addresses.ts'
import { type KnownPage, useFavourites } from '#app/search/recent-pages.ts'

/** Adds the shown page to the favourites, which the search lists, or removes the page. */
export function Favourite({ tab, url, title }: Omit<KnownPage, 'key'> & { tab: Pick<KnownPage, 'key'> | undefined }) {
  const { list, toggle } = useFavourites()
  if (!tab || tab.key === HOME) return null
  const shown = tab.key
  const isKept = list.some(({ key }) => key === shown)
  const label = isKept ? '取消收藏' : '收藏此页'
  return (
    <button
      type="button"
      className="tool favourite wide-only"
      aria-label={label}
      aria-pressed={isKept}
      data-tip={label}
      onClick={() => toggle({ key: shown, url, title })}
    >
      {isKept ? <StarFilled /> : <StarOutlined />}
    </button>
  )
}
