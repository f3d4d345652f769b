import { SearchOutlined } from '@ant-design/icons'
import { Button, Checkbox, Empty, Input, Space, Tree } from 'antd'
import { useMemo, useState } from 'react'
import '../kit.css'
import type { Key, TreeItem } from './tree-item.ts'
import { branchKeys, checksOf, indexTree, searchTree, toggleAll, toggleAlone, toggleLinked } from './tree-rules.ts'

interface PermissionTreeProps {
  tree: readonly TreeItem[]
  /** Keys of all nodes held, branches among them. Given by Field when used in a form. */
  value?: readonly Key[]
  onChange?: (held: Key[]) => void
  height?: number
  label?: string
}

/** Chooses nodes of a tree: search, whole branches, levels linked or not; 10,000 nodes stay quick. */
export function PermissionTree({ tree, value = [], onChange, height = 420, label = '权限' }: PermissionTreeProps) {
  const [linked, setLinked] = useState(true)
  const [text, setText] = useState('')
  const [expanded, setExpanded] = useState<readonly Key[]>(() => tree.map(({ key }) => key))
  const index = useMemo(() => indexTree(tree), [tree])
  const shown = useMemo(() => searchTree(tree, text), [tree, text])
  const held = useMemo(() => new Set(value), [value])
  const checks = useMemo(
    () => (linked ? checksOf(tree, held) : { checked: [...held], halfChecked: [] }),
    [linked, tree, held],
  )
  const data = useMemo(() => shown.map(nodeOf), [shown])
  const toggle = (key: Key) => onChange?.([...(linked ? toggleLinked(index, held, key) : toggleAlone(held, key))])
  return (
    <div className="kit-tree">
      <TreeBar
        label={label}
        onSearch={setText}
        expanded={expanded.length > 0}
        onExpand={() => setExpanded(expanded.length > 0 ? [] : branchKeys(tree))}
        onAll={(on) => onChange?.([...toggleAll(shown, held, on)])}
        linked={linked}
        onLinked={setLinked}
        count={`已选 ${held.size} / ${index.items.size}`}
      />
      {data.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有符合条件的节点" />
      ) : (
        <Tree
          checkable
          checkStrictly
          selectable={false}
          virtual
          height={height}
          aria-label={label}
          treeData={data}
          checkedKeys={checks}
          expandedKeys={text.trim() ? branchKeys(shown) : [...expanded]}
          onExpand={(keys) => setExpanded(keys as Key[])}
          onCheck={(_, { node }) => toggle(node.key as Key)}
        />
      )}
    </div>
  )
}

interface TreeBarProps {
  label: string
  expanded: boolean
  linked: boolean
  count: string
  onSearch(text: string): void
  onExpand(): void
  onAll(on: boolean): void
  onLinked(on: boolean): void
}

function TreeBar({ label, expanded, linked, count, onSearch, onExpand, onAll, onLinked }: TreeBarProps) {
  return (
    <div className="kit-tree-bar">
      <Input
        allowClear
        prefix={<SearchOutlined aria-hidden />}
        placeholder="搜索"
        aria-label={`搜索${label}`}
        onChange={({ target }) => onSearch(target.value)}
      />
      <Space size={0}>
        <Button type="link" size="small" onClick={onExpand}>
          {expanded ? '全部收起' : '全部展开'}
        </Button>
        <Button type="link" size="small" onClick={() => onAll(true)}>
          全选
        </Button>
        <Button type="link" size="small" onClick={() => onAll(false)}>
          清空
        </Button>
      </Space>
      <Checkbox checked={linked} onChange={({ target }) => onLinked(target.checked)}>
        父子联动
      </Checkbox>
      <span className="kit-tree-count" role="status">
        {count}
      </span>
    </div>
  )
}

interface Node {
  key: Key
  title: React.ReactNode
  disabled: boolean
  children: Node[]
}

const nodeOf = ({ key, title, hint, disabled = false, children = [] }: TreeItem): Node => ({
  key,
  disabled,
  title: hint ? (
    <>
      {title} <span className="kit-tree-hint">{hint}</span>
    </>
  ) : (
    title
  ),
  children: children.map(nodeOf),
})
