import { SearchOutlined } from '@ant-design/icons'
import { Input, Modal, Spin } from 'antd'
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { MenuIcon } from '#app/layout/menu-icon.tsx'
import type { MenuEntry } from '#app/menu-tree.ts'
import type { SearchHit } from './finder.ts'
import { findFirstCertainHit, type HitGroup, mergeGroups } from './palette-groups.ts'
import { useActionHits, useKnownPageHits, useMenuHits } from './use-local-hits.ts'
import { useRecordHits } from './use-record-hits.ts'

interface Props {
  readonly entries: readonly MenuEntry[]
  readonly open: boolean
  readonly onClose: () => void
}

/** Searches menus, actions and records; arrow keys select, Enter opens. */
export default function SearchPalette({ entries, open, onClose }: Props) {
  useEffect(() => {
    if (!open) return undefined
    // The browser's back and forward leave the page below the search.
    addEventListener('popstate', onClose)
    return () => removeEventListener('popstate', onClose)
  }, [open, onClose])
  return (
    <Modal
      open={open}
      onCancel={onClose}
      footer={null}
      closable={false}
      width={640}
      title={<span className="sr-only">搜索菜单和记录</span>}
      rootClassName="palette"
      destroyOnHidden
    >
      <Palette entries={entries} onClose={onClose} />
    </Modal>
  )
}

function Palette({ entries, onClose }: Omit<Props, 'open'>) {
  const [text, setText] = useState('')
  const menus = useMenuHits(entries, text)
  const actions = useActionHits(entries, text)
  const known = useKnownPageHits(entries)
  const records = useRecordHits(text)
  const found = [menus, actions, ...records.groups]
  const all = text.trim() ? found : known
  const groups = mergeGroups(all)
  const { at, select, go, onKeyDown, isWaiting } = useHitKeyboard(text, all, records.isSearching, onClose)
  const hits = groups.flatMap((group) => group.hits)
  return (
    <>
      <Input
        autoFocus
        size="large"
        variant="borderless"
        prefix={<SearchOutlined />}
        suffix={records.isSearching ? <Spin size="small" /> : null}
        placeholder="搜索菜单、操作、设备、工单、订单、客户……"
        aria-label="搜索关键字"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
        maxLength={64}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <Hits groups={groups} at={at} onHover={select} onChoose={go} />
      <Note text={text} hasHits={hits.length > 0} isWaiting={isWaiting} {...records} />
      <p className="palette-keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> 选择
        </span>
        <span>
          <kbd>Enter</kbd> 打开
        </span>
        <span>
          <kbd>Esc</kbd> 关闭
        </span>
        <span className="palette-hint">支持拼音和首字母</span>
      </p>
    </>
  )
}

/**
 * Keeps the selected hit. Arrow keys select, Enter opens. Without a selection, Enter opens the first hit, and waits
 * while the search of an earlier kind can still answer.
 */
function useHitKeyboard(text: string, all: readonly HitGroup[], isSearching: boolean, onClose: () => void) {
  const navigate = useNavigate()
  const hits = mergeGroups(all).flatMap((group) => group.hits)
  const [selected, setSelected] = useState<{ key: string; text: string }>()
  const [entered, setEntered] = useState<string>()
  const isWaiting = entered === text && isSearching
  const found = selected?.text === text ? hits.findIndex(({ key }) => key === selected.key) : -1
  const at = Math.max(0, found)
  const select = (index: number) => setSelected({ key: hits[index]?.key ?? '', text })
  const go = (hit: SearchHit) => {
    onClose()
    if (hit.run) hit.run()
    else void navigate(hit.to)
  }
  const first = findFirstCertainHit(all)
  const goFirst = useEffectEvent(() => {
    if (entered === text && first) go(first)
  })
  useEffect(() => {
    if (entered !== undefined) goFirst()
  }, [entered, first?.key])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.nativeEvent.isComposing) return
    if (step && hits.length) select((at + step + hits.length) % hits.length)
    else if (event.key !== 'Enter') return
    else if (found >= 0 && hits[found]) go(hits[found])
    else setEntered(text)
    event.preventDefault()
  }
  return { at, select, go, onKeyDown, isWaiting }
}

interface HitsProps {
  readonly groups: readonly HitGroup[]
  readonly at: number
  readonly onHover: (at: number) => void
  readonly onChoose: (hit: SearchHit) => void
}

function Hits({ groups, at, onHover, onChoose }: HitsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`#hit-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  if (groups.length === 0) return null
  const firsts = groups.map((_, index) => groups.slice(0, index).reduce((sum, { hits }) => sum + hits.length, 0))
  return (
    <div ref={list} id="palette-hits" className="palette-hits" role="listbox" aria-label="搜索结果" tabIndex={-1}>
      {groups.map(({ title, hits }, group) => (
        <div key={title} role="group" aria-label={title}>
          <p className="hit-kind" aria-hidden="true">
            {title}
          </p>
          {hits.map((hit, index) => (
            <Hit
              key={hit.key}
              hit={hit}
              index={(firsts[group] ?? 0) + index}
              at={at}
              onHover={onHover}
              onChoose={onChoose}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

function Hit({ hit, index, at, onHover, onChoose }: Omit<HitsProps, 'groups'> & { hit: SearchHit; index: number }) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the search field takes the keys
    <div
      id={`hit-${index}`}
      role="option"
      aria-selected={index === at}
      tabIndex={-1}
      className={index === at ? 'hit hit-at' : 'hit'}
      onMouseMove={() => index !== at && onHover(index)}
      onClick={() => onChoose(hit)}
    >
      <MenuIcon name={hit.icon ?? ''} url={hit.to} />
      <span>{hit.title}</span>
      <span className="hit-detail">{hit.detail}</span>
    </div>
  )
}

interface NoteProps {
  readonly text: string
  readonly hasHits: boolean
  readonly isSearching: boolean
  readonly isWaiting: boolean
  readonly hasFailed: boolean
}

const describeState = ({ text, hasHits, isSearching, isWaiting, hasFailed }: NoteProps) => {
  if (isSearching) return isWaiting ? '搜索中…，找到后打开' : '搜索中…'
  if (hasFailed) return '部分记录没有查到：网络异常或服务器繁忙，请稍后再试'
  if (hasHits) return ''
  return text.trim() ? '没有匹配的菜单或记录' : '输入关键字开始搜索'
}

/** States what the list does not show: the running search, its failure, or that nothing matches. */
function Note(props: NoteProps) {
  const note = describeState(props)
  return (
    <p className={props.hasHits ? 'palette-note' : 'palette-none'} role="status" hidden={note === ''}>
      {note}
    </p>
  )
}
