import { MoreOutlined, PlusOutlined } from '@ant-design/icons'
import { views as calls } from '@oms/contract/account/views.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '#core/api/client.ts'
import { buildQueryMeta, readResourceName, useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { Link } from '#core/routing/router.tsx'
import { useTabState } from '#core/routing/tab.tsx'
import { formatCount } from '#core/text/format.ts'
import { type DropdownMenuItem, MenuButton } from '#kit/feedback/dropdown-menu.tsx'
import type { TableSettings } from '#kit/table/table-settings.ts'
import { usePreference } from '#kit/table/use-preference.ts'
import { formatTotal, type ListState } from './list-state.ts'
import {
  arrangeViews,
  type BuiltInView,
  findActiveView,
  formatChoicesKey,
  formatViewQuery,
  listViews,
  type ListView,
  moveView,
  splitViews,
  type ViewChoices,
} from './saved-views-state.ts'

const Dialog = lazyAfterRender(() => import('./saved-views-form.tsx'), 'SavedViewDialog')

type Conditions = Pick<ListState, 'filters' | 'sort'>

/** A list whose state is in the URL. */
export interface ListAddress {
  readonly endpoint: Endpoint
  readonly fixed: object | undefined
  /** See `formatViewPage`. */
  readonly page: string
  readonly state: Conditions
  /** Returns the URL of the list with other filters and another order. */
  urlOf(next: Conditions): string
  /** Replaces filters and order without a new history entry. */
  replace(next: Conditions): void
}

type Views = ReturnType<typeof useSavedViews>

/** A path with an id belongs to one record. Its lists have no views. */
const HAS_ID = /\/\d+(\/|$)/
const ALL: Conditions = { filters: {}, sort: undefined }

/** Returns the views of a list, and which of them the URL shows. The saved views load after the first rows. */
export function useSavedViews(address: ListAddress | undefined, builtIn: readonly BuiltInView[], isReady: boolean) {
  const page = address?.page ?? ''
  const isOffered = address !== undefined && !HAS_ID.test(page)
  const [choices, setChoices] = usePreference<ViewChoices>(formatChoicesKey(page), {})
  const [lastKey, setLastKey] = useTabState(formatChoicesKey(page), '')
  const enabled = isOffered && isReady
  const { data } = useRead(calls.list, {}, { enabled, quiet: true, staleTime: Number.POSITIVE_INFINITY })
  const views = isOffered ? arrangeViews(listViews(page, builtIn, data?.list ?? []), choices) : []
  const active = address && findActiveView(views, address.state, lastKey)
  const activeKey = active?.key
  useEffect(() => {
    if (activeKey !== undefined) setLastKey(activeKey)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the setter is new in every render
  }, [activeKey])
  return {
    isOffered,
    isLoaded: data !== undefined,
    views,
    active,
    choices,
    setChoices,
    setLastKey,
    /** The view that was active before the filters changed. */
    changed: active ? undefined : views.find(({ key }) => key === lastKey),
  }
}

/** Returns the column settings of the active view. Undefined when the list has its usual columns. */
export function readViewColumns({ active }: Views) {
  const columns = active?.stored?.columns ?? '{}'
  return columns === '{}' ? undefined : { key: active?.key ?? '', settings: JSON.parse(columns) as TableSettings }
}

interface Props {
  readonly views: Views
  readonly address: ListAddress
  /** The present column settings. */
  readonly settings: TableSettings
  /** True when the rows are loaded; the counts of the views load afterwards. */
  readonly isReady: boolean
}

/** Shows the views of a list as tabs with the number of rows, and the menu that saves and changes views. */
export function SavedViews({ views: state, address, settings, isReady }: Props) {
  const { views, active, choices, setLastKey } = state
  const pinned = splitViews(views, choices).tabs
  const tabs = active && !pinned.includes(active) ? [...pinned, active] : pinned
  const counts = useCounts(address, pinned, isReady)
  const [dialog, setDialog] = useState<'new' | ListView>()
  useDefaultView(state, address)
  const hasConditions = formatViewQuery(address.state) !== ''
  if (!state.isOffered || (views.length === 0 && !hasConditions)) return null
  const isAll = !active && Object.keys(address.state.filters).length === 0
  return (
    <nav className="kit-views" aria-label="视图">
      <div className="kit-views-tabs">
        <Link to={address.urlOf(ALL)} aria-current={isAll ? 'page' : undefined} onClick={() => setLastKey('')}>
          全部
        </Link>
        {tabs.map((view) => (
          <Link
            key={view.key}
            to={address.urlOf(view)}
            title={describeOwner(view)}
            aria-current={view === active ? 'page' : undefined}
            onClick={() => setLastKey(view.key)}
          >
            {view.name}
            {counts?.[view.key] !== undefined && <span className="kit-views-count">{counts[view.key]}</span>}
          </Link>
        ))}
      </div>
      {!active && hasConditions && (
        <button type="button" className="kit-link" onClick={() => setDialog('new')}>
          <PlusOutlined aria-hidden /> 另存为视图
        </button>
      )}
      <Menu state={state} address={address} settings={settings} onOpen={setDialog} />
      {dialog && (
        <Dialog
          view={dialog === 'new' ? undefined : dialog.stored}
          page={address.page}
          query={formatViewQuery(address.state)}
          columns={JSON.stringify(settings)}
          onSaved={(id) => setLastKey(`v${id}`)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </nav>
  )
}

const describeOwner = ({ stored }: ListView) =>
  stored && !stored.isOwn ? `${stored.ownerName || '同事'}共享的视图` : undefined

interface MenuProps {
  readonly state: Views
  readonly address: ListAddress
  readonly settings: TableSettings
  onOpen(dialog: 'new' | ListView): void
}

/** Menu at the end of the tabs: actions on the active view, then the views without a tab. */
function Menu({ state, address, settings, onOpen }: MenuProps) {
  const { views, choices, setLastKey } = state
  const { others } = splitViews(views, choices)
  const items = [
    ...useOwnerItems(state, address, settings, onOpen),
    { key: 'new', label: '另存为视图', onClick: () => onOpen('new') },
    ...listChoiceItems(state, address),
    ...useRemoveItem(state),
    ...others.map((view, index) => ({
      key: view.key,
      label: view.name,
      parted: index === 0,
      onClick: () => {
        setLastKey(view.key)
        address.replace(view)
      },
    })),
  ]
  return (
    <MenuButton label="视图操作" buttonClass="kit-views-more" items={items} align="end">
      <MoreOutlined aria-hidden />
    </MenuButton>
  )
}

/** Menu items that change the view itself. */
function useOwnerItems(
  { active, changed }: Views,
  { state }: ListAddress,
  settings: TableSettings,
  onOpen: MenuProps['onOpen'],
): DropdownMenuItem[] {
  const view = active ?? changed
  const stored = view?.stored
  const update = useWrite(calls.update)
  const share = useWrite(calls.share)
  const mayShare = useMayCall()(calls.share)
  if (!view || !stored) return []
  const query = formatViewQuery(state)
  const columns = JSON.stringify(settings)
  const isSame = query === stored.query && columns === stored.columns
  const mayEdit = stored.isOwn && (mayShare || !stored.shared)
  const edits: DropdownMenuItem[] = [
    {
      key: 'update',
      label: '更新视图',
      disabled: isSame,
      reason: isSame ? '筛选、排序和列没有变化' : `「${stored.name}」改为当前的筛选、排序和列`,
      onClick: () => update.mutate({ ...stored, query, columns }),
    },
    { key: 'rename', label: '重命名', onClick: () => onOpen(view) },
  ]
  return [
    ...(mayEdit ? edits : []),
    ...(stored.isOwn && mayShare
      ? [
          {
            key: 'share',
            label: stored.shared ? '取消共享' : '共享给同事',
            onClick: () => share.mutate({ id: stored.id, shared: !stored.shared }),
          },
        ]
      : []),
  ]
}

/** Menu item that deletes the active view. Accounts with the permission to share also delete shared views of others. */
function useRemoveItem({ active, changed }: Views): DropdownMenuItem[] {
  const remove = useWrite(calls.remove)
  const mayShare = useMayCall()(calls.share)
  const stored = (active ?? changed)?.stored
  if (!stored || !(stored.isOwn || mayShare)) return []
  const effect = stored.shared ? '，同事也不能再使用它' : ''
  const confirm = () =>
    dialogs.confirm({
      title: '删除视图',
      content: `删除视图「${stored.name}」${effect}。列表中的数据不受影响。`,
      okText: '删除视图',
      okButtonProps: { danger: true },
      onOk: async () => void (await remove.mutateAsync({ id: stored.id }).catch(() => {})),
    })
  return [{ key: 'remove', label: '删除视图', danger: true, parted: true, onClick: confirm }]
}

/** Menu items for the account's own choices: tab, place and default of the active view. */
function listChoiceItems({ views, active, choices, setChoices }: Views, { page }: ListAddress): DropdownMenuItem[] {
  const { unpinned = [], first } = choices
  // The URL of a further list of a page is never empty, so that no view can be its default.
  const canBeFirst = !page.includes('?')
  const forget = {
    key: 'first',
    label: '打开时不再使用默认视图',
    onClick: () => setChoices({ ...choices, first: undefined }),
  }
  if (!active) return canBeFirst && first ? [{ ...forget, parted: true }] : []
  const { key } = active
  const isPinned = !unpinned.includes(key)
  const move = (name: string, label: string, step: -1 | 1) => ({
    key: name,
    label,
    onClick: () => setChoices({ ...choices, order: moveView(views, key, step) }),
  })
  const isFirst = {
    key: 'first',
    label: '设为默认视图',
    onClick: () => setChoices({ ...choices, first: { key, query: formatViewQuery(active) } }),
  }
  return [
    {
      key: 'pin',
      label: isPinned ? '不显示为标签' : '显示为标签',
      parted: true,
      onClick: () =>
        setChoices({ ...choices, unpinned: isPinned ? [...unpinned, key] : unpinned.filter((each) => each !== key) }),
    },
    ...(isPinned && views[0] !== active ? [move('left', '左移', -1)] : []),
    ...(isPinned && views.at(-1) !== active ? [move('right', '右移', 1)] : []),
    ...(canBeFirst ? [first?.key === key ? forget : isFirst] : []),
  ]
}

/**
 * Corrects the default view once, after the saved views are loaded: `useList` opened the query at the time of the
 * choice. The query may contain an older date, and the view may have been changed or deleted.
 */
function useDefaultView({ isLoaded, views, choices, setChoices }: Views, address: ListAddress) {
  const shown = formatViewQuery(address.state)
  const correct = useEffectEvent(() => {
    const { first } = choices
    if (!first) return
    const view = views.find(({ key }) => key === first.key)
    if (!view) return setChoices({ ...choices, first: undefined })
    const query = formatViewQuery(view)
    if (query === first.query || shown !== first.query) return
    address.replace(view)
    setChoices({ ...choices, first: { key: first.key, query } })
  })
  useEffect(() => {
    if (isLoaded) correct()
  }, [isLoaded, shown])
}

/** Number of simultaneous requests for counts. */
const PARALLEL = 2

/** Loads the number of rows of each view with list requests of one row, after the rows of the list. */
function useCounts({ endpoint, fixed, page }: ListAddress, views: readonly ListView[], isReady: boolean) {
  const inputs = views.map(({ key, filters }) => [key, { ...filters, ...fixed, pageNum: 1, pageSize: 1 }] as const)
  return useQuery({
    queryKey: [readResourceName(endpoint), endpoint.path, 'counts', page, inputs],
    queryFn: async ({ signal }) => {
      const counts: Record<string, string> = {}
      const waiting = [...inputs]
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const [key, input] = next
          const found = (await call(endpoint, input as never, { signal, quiet: true }).catch(() => undefined)) as
            | { total: number; totalIsEstimate?: boolean }
            | undefined
          if (found) counts[key] = found.totalIsEstimate ? formatTotal(found.total, true) : formatCount(found.total)
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, work))
      return counts
    },
    // The operation log records reads with a `kind`, and would name a person who opened nothing.
    enabled: isReady && inputs.length > 0 && endpoint.kind === undefined,
    placeholderData: keepPreviousData,
    meta: buildQueryMeta(endpoint, true),
  }).data
}
