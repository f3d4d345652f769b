import { CloseOutlined, FilterOutlined } from '@ant-design/icons'
import { Button, Form, type FormInstance } from 'antd'
import { Children, isValidElement, type ReactNode, useEffect, useId, useRef } from 'react'
import { useLocation } from 'react-router'
import '#kit/kit.css'
import { type Filters, omitEmptyFilters } from './list-state.ts'
import { usePreference } from '#kit/table/use-preference.ts'
import { useIsPhoneWidth } from '#kit/table/use-media.ts'
import { useWidth } from '#kit/table/use-width.ts'

/** Minimum cell width in pixels for a label and a date range. */
const CELL = 276
/** Minimum cell width while all fields are shown. A date range takes two of these cells. */
const SMALL_CELL = 232
/** Gap between two cells in pixels; equal to `kit.css`. */
const COLUMN_GAP = 16

export interface SearchProps {
  /** Filters of the URL. */
  readonly initial: Filters
  onSearch(values: object): void
}

/**
 * Filters above a list, in one line. Fields are children, Enter searches, `/` focuses the first filter, and 更多筛选
 * shows the other fields. While the other fields are hidden, a field with an active filter is shown as a chip, so that
 * the limits of the list are always visible.
 */
export function SearchForm({ initial, onSearch, children }: SearchProps & { children: ReactNode }) {
  const [form] = Form.useForm()
  // Unique field ids, because other tabs stay mounted with filters of the same names.
  const name = `search${useId().replaceAll(/\W/g, '')}`
  const place = useRef<HTMLDivElement>(null)
  const fields = Children.toArray(children)
  const { isFoldable, folded, setFolded, isOpen, columns, shown } = useFolding(place, fields.length)
  const { search, reset, clear } = useSearch(form, initial, onSearch)
  const active = omitEmptyFilters(initial)
  useSlashKey(place)

  return (
    <div
      className={isOpen && columns > 1 ? 'kit-card kit-search kit-search-open' : 'kit-card kit-search'}
      role="search"
      ref={place}
    >
      <Form
        name={name}
        form={form}
        onFinish={() => search(form.getFieldsValue(true))}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {fields.map((field, index) => {
          const names = readFilterNames(field)
          const isChip = index >= shown && names.some((filter) => filter in active)
          return (
            <div key={index} className={isChip ? 'kit-chip' : undefined} hidden={index >= shown && !isChip}>
              {field}
              {isChip && (
                <button type="button" aria-label="移除筛选条件" title="移除筛选条件" onClick={() => clear(names)}>
                  <CloseOutlined />
                </button>
              )}
            </div>
          )
        })}
        <div className="kit-search-actions">
          {isFoldable && (
            <Button
              type="text"
              className="kit-fold"
              icon={<FilterOutlined />}
              aria-expanded={!folded}
              onClick={() => setFolded(!folded)}
            >
              {folded ? '更多筛选' : '收起'}
            </Button>
          )}
          {shown > 0 && (
            <>
              <Button onClick={reset}>重置</Button>
              <Button htmlType="submit">查询</Button>
            </>
          )}
        </div>
      </Form>
    </div>
  )
}

interface FieldProps {
  readonly name?: string
  readonly begin?: string
  readonly end?: string
}

/** Returns the filters of a field of the form: its name, or both ends of a date range. */
function readFilterNames(field: ReactNode): string[] {
  if (!isValidElement<FieldProps>(field)) return []
  const { name, begin = 'beginTime', end = 'endTime' } = field.props
  return name === undefined ? [begin, end] : [name]
}

/** Returns functions that apply and clear the filters. */
function useSearch(form: FormInstance, initial: Filters, onSearch: (values: object) => void) {
  const markSubmitted = useAddressValues(form, initial)
  const search = (values: object) => {
    markSubmitted(values)
    onSearch(values)
  }
  const reset = () => {
    form.setFieldsValue(clearValues(form.getFieldsValue(true)))
    search({})
  }
  const clear = (names: readonly string[]) => {
    form.setFieldsValue(Object.fromEntries(names.map((filter) => [filter, undefined])))
    search(form.getFieldsValue(true))
  }
  return { search, reset, clear }
}

/**
 * Returns the cells per row, and whether the fields after the first row are hidden (stored per account). On a phone all
 * fields are behind the button.
 */
function useFolding(place: React.RefObject<HTMLElement | null>, count: number) {
  const { pathname } = useLocation()
  const [folded, setFolded] = usePreference(`fold:${pathname}`, true)
  const width = useWidth(place)
  const phone = useIsPhoneWidth()
  const columnsOf = (cell: number) =>
    width === undefined ? 4 : Math.min(6, Math.max(1, Math.floor((width + COLUMN_GAP) / (cell + COLUMN_GAP))))
  const room = phone ? 0 : Math.max(1, columnsOf(CELL) - 1)
  const isFoldable = count > room
  const isOpen = isFoldable && !folded
  return {
    isFoldable,
    folded,
    setFolded,
    isOpen,
    columns: columnsOf(isOpen ? SMALL_CELL : CELL),
    shown: isFoldable && folded ? room : count,
  }
}

/**
 * Updates the form from the URL, so that back, forward and shared links show their filters. Values that the form
 * itself submitted (`markSubmitted`) are skipped: setting them again would discard later input.
 */
function useAddressValues(form: ReturnType<typeof Form.useForm>[0], initial: Filters) {
  const address = JSON.stringify(initial)
  const seen = useRef<string>(undefined)
  useEffect(() => {
    if (seen.current === address) return
    seen.current = address
    form.setFieldsValue({ ...clearValues(form.getFieldsValue(true)), ...JSON.parse(address) })
  }, [form, address])
  return (values: object) => {
    seen.current = JSON.stringify(omitEmptyFilters(values))
  }
}

/** Focuses the first filter when `/` is pressed. */
function useSlashKey(place: React.RefObject<HTMLElement | null>) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const typing = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
      if (event.key !== '/' || event.ctrlKey || event.metaKey || typing) return
      if (document.querySelector('.ant-modal-wrap:not([style*="display: none"])')) return
      event.preventDefault()
      place.current?.querySelector<HTMLElement>('input')?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [place])
}

const clearValues = (values: object) => Object.fromEntries(Object.keys(values).map((key) => [key, undefined]))
