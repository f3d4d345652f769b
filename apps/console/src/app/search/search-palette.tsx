import { SearchOutlined } from '@ant-design/icons'
import { Input, Modal, Spin } from 'antd'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { SearchHit } from './finder.ts'
import type { MenuEntry } from '#app/menu-tree.ts'
import { findMenuHits } from './menu-hits.ts'
import { useRecordHits } from './use-record-hits.ts'

interface Props {
  readonly entries: readonly MenuEntry[]
  readonly open: boolean
  readonly onClose: () => void
}

/** Searches menus and records; arrow keys select, Enter opens. */
export default function SearchPalette({ entries, open, onClose }: Props) {
  const [text, setText] = useState('')
  const close = useCallback(() => {
    setText('')
    onClose()
  }, [onClose])
  useEffect(() => {
    if (!open) return undefined
    // The browser's back and forward leave the page below the search.
    addEventListener('popstate', close)
    return () => removeEventListener('popstate', close)
  }, [open, close])
  return (
    <Modal
      open={open}
      onCancel={close}
      footer={null}
      closable={false}
      width={560}
      title={<span className="sr-only">搜索菜单和记录</span>}
      rootClassName="palette"
      destroyOnHidden
    >
      <Palette entries={entries} text={text} onText={setText} onClose={close} />
    </Modal>
  )
}

interface PaletteProps {
  readonly entries: readonly MenuEntry[]
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

function Palette({ entries, text, onText, onClose }: PaletteProps) {
  const records = useRecordHits(text)
  const hits = [...findMenuHits(entries, text), ...records.hits]
  const { at, setWanted, go, onKeyDown } = useHitKeyboard(hits, onClose)
  return (
    <>
      <Input
        autoFocus
        size="large"
        variant="borderless"
        prefix={<SearchOutlined />}
        suffix={records.searching ? <Spin size="small" /> : null}
        placeholder="搜索菜单、设备、工单、订单、客户……"
        aria-label="搜索关键字"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
        maxLength={64}
        value={text}
        onChange={({ target }) => {
          onText(target.value)
          setWanted(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Hits hits={hits} at={at} onHover={setWanted} onChoose={go} none={describeNone(text, records.searching)} />
    </>
  )
}

/** Keeps the selected hit. Arrow keys select, Enter opens. */
function useHitKeyboard(hits: readonly SearchHit[], onClose: () => void) {
  const navigate = useNavigate()
  const [wanted, setWanted] = useState(0)
  const at = Math.min(wanted, Math.max(0, hits.length - 1))
  const go = (hit: SearchHit | undefined) => {
    if (!hit) return
    onClose()
    void navigate(hit.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && hits.length) setWanted((at + step + hits.length) % hits.length)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) go(hits[at])
    else return
    event.preventDefault()
  }
  return { at, setWanted, go, onKeyDown }
}

interface HitsProps {
  readonly hits: readonly SearchHit[]
  readonly at: number
  /** Text shown when there are no hits. */
  readonly none: string
  readonly onHover: (at: number) => void
  readonly onChoose: (hit: SearchHit) => void
}

const describeNone = (text: string, searching: boolean) =>
  searching ? '搜索中…' : text ? '没有匹配的菜单或记录' : '输入关键字开始搜索'

function Hits({ hits, at, none, onHover, onChoose }: HitsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  if (!hits.length) return <p className="palette-none">{none}</p>
  return (
    <div ref={list} id="palette-hits" className="palette-hits" role="listbox" aria-label="搜索结果">
      {hits.map((hit, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the search field takes the keys
        <div
          key={hit.key}
          id={`hit-${index}`}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          className={index === at ? 'hit hit-at' : 'hit'}
          onMouseMove={() => onHover(index)}
          onClick={() => onChoose(hit)}
        >
          <span>{hit.title}</span>
          <span className="hit-detail">{hit.detail}</span>
        </div>
      ))}
    </div>
  )
}
