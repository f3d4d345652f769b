import { DownOutlined } from '@ant-design/icons'
import { Button, Form } from 'antd'
import { Children, type ReactNode, useEffect, useId, useRef } from 'react'
import { useLocation } from 'react-router'
import './kit.css'
import { countFilters, type Filters, filled } from './list-state.ts'
import { usePreference } from './use-preference.ts'
import { useWidth } from './use-width.ts'

/** Narrowest cell in which a label and a date range still fit. */
const CELL = 300

/** The filter area above a list: fields as children, Enter searches, `/` comes here, further rows fold away. */
export function SearchForm({
  initial,
  onSearch,
  children,
}: {
  initial: Filters
  onSearch(values: object): void
  children: ReactNode
}) {
  const [form] = Form.useForm()
  // Other tabs stay on the page with filters of the same names.
  const name = `search${useId().replaceAll(/\W/g, '')}`
  const place = useRef<HTMLDivElement>(null)
  const { folded, setFolded, columns } = useFolding(place)
  const told = useAddressValues(form, initial)
  useSlashKey(place)

  const fields = Children.toArray(children)
  const shown = folded ? Math.max(1, columns - 1) : fields.length
  const search = (values: object) => {
    told(values)
    onSearch(values)
  }
  const reset = () => {
    form.setFieldsValue(emptied(form.getFieldsValue(true)))
    search({})
  }
  return (
    <div className="kit-card kit-search" role="search" ref={place}>
      <Form
        name={name}
        form={form}
        onFinish={() => search(form.getFieldsValue(true))}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
      >
        {fields.map((field, index) => (
          <div key={index} hidden={index >= shown}>
            {field}
          </div>
        ))}
        <div className="kit-search-actions">
          {fields.length > Math.max(1, columns - 1) && (
            <FoldButton folded={folded} active={countFilters(filled(initial))} onFold={() => setFolded(!folded)} />
          )}
          <Button onClick={reset}>重置</Button>
          <Button type="primary" htmlType="submit">
            查询
          </Button>
        </div>
      </Form>
    </div>
  )
}

function FoldButton({ folded, active, onFold }: { folded: boolean; active: number; onFold(): void }) {
  return (
    <Button type="link" className="kit-fold" aria-expanded={!folded} onClick={onFold}>
      {folded ? '展开' : '收起'}
      {folded && active > 0 && (
        <span className="kit-fold-count" title={`已启用 ${active} 个筛选条件`}>
          {active}
        </span>
      )}
      <DownOutlined rotate={folded ? 0 : 180} />
    </Button>
  )
}

/** How many cells fit in a row, and whether this screen's further rows are folded away (kept per account). */
function useFolding(place: React.RefObject<HTMLElement | null>) {
  const { pathname } = useLocation()
  const [folded, setFolded] = usePreference(`fold:${pathname}`, true)
  const width = useWidth(place)
  const columns = width === undefined ? 4 : Math.min(6, Math.max(1, Math.floor(width / CELL)))
  return { folded, setFolded, columns }
}

/**
 * The form follows the address: back, forward and a shared link show their own filters. What the form itself asked for
 * (`told`) is in it already: put in again when the list has it, that would undo what was typed since.
 */
function useAddressValues(form: ReturnType<typeof Form.useForm>[0], initial: Filters) {
  const address = JSON.stringify(initial)
  const seen = useRef<string>(undefined)
  useEffect(() => {
    if (seen.current === address) return
    seen.current = address
    form.setFieldsValue({ ...emptied(form.getFieldsValue(true)), ...JSON.parse(address) })
  }, [form, address])
  return (values: object) => {
    seen.current = JSON.stringify(filled(values))
  }
}

/** `/` puts the cursor into the first filter, as people know it from search pages. */
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

const emptied = (values: object) => Object.fromEntries(Object.keys(values).map((key) => [key, undefined]))
