import { SearchOutlined } from '@ant-design/icons'
import { Button, Checkbox, Empty, Input, Space, Tree } from 'antd'
import { useMemo, useState } from 'react'
import '#kit/kit.css'
import type { Key, TreeItem } from './tree-item.ts'
import {
  listBranchKeys,
  computeChecks,
  indexTree,
  searchTree,
  toggleAll,
  toggleAlone,
  toggleLinked,
} from './tree-rules.ts'

interface PermissionTreeProps {
  tree: readonly TreeItem[]
  /** Keys of all selected nodes, including branches. Set by Field in a form. */
  value?: readonly Key[]
  onChange?: (held: Key[]) => void
  /**
   * Returns whether a node is a permission. Other nodes only group permissions: they are not counted, and while the
   * levels are unlinked, their boxes only show the state of their permissions.
   */
  isPermission: (key: Key) => boolean
  height?: number
  label?: string
}

/** Selects nodes of a tree with search, whole branches, and linked or unlinked levels. Supports 10,000 nodes. */
export function PermissionTree(props: PermissionTreeProps) {
  const { tree, value = [], onChange, isPermission, height = 420, label = '权限' } = props
  const [linked, setLinked] = useState(true)
  const [text, setText] = useState('')
  const [expanded, setExpanded] = useState<readonly Key[]>(() => tree.map(({ key }) => key))
  const { index, shown, held, checks, data } = useTreeData({ tree, value, text, linked, isPermission })
  const toggle = (key: Key) => onChange?.([...(linked ? toggleLinked(index, held, key) : toggleAlone(held, key))])
  return (
    <div className="kit-box">
      <TreeBar
        label={label}
        onSearch={setText}
        expanded={expanded.length > 0}
        onExpand={() => setExpanded(expanded.length > 0 ? [] : listBranchKeys(tree))}
        onAll={(on) => onChange?.([...toggleAll(shown, held, on)])}
        linked={linked}
        onLinked={setLinked}
        count={`已选 ${[...held].filter(isPermission).length} / ${[...index.items.keys()].filter(isPermission).length}`}
      />
      {!linked && <UnlinkedNote />}
      {data.length === 0 ? (
        <Empty description="没有符合条件的节点" />
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
          expandedKeys={text.trim() ? listBranchKeys(shown) : [...expanded]}
          onExpand={(keys) => setExpanded(keys as Key[])}
          onCheck={(_, { node }) => toggle(node.key as Key)}
        />
      )}
    </div>
  )
}

const UnlinkedNote = () => (
  <p className="kit-hint" role="status">
    父子联动已关闭：目录和页面的勾选框只显示其中权限的状态，请逐项勾选权限。
  </p>
)

interface TreeInput {
  readonly tree: readonly TreeItem[]
  readonly value: readonly Key[]
  readonly text: string
  readonly linked: boolean
  readonly isPermission: (key: Key) => boolean
}

/** Computes the shown nodes and their check marks. */
function useTreeData({ tree, value, text, linked, isPermission }: TreeInput) {
  const index = useMemo(() => indexTree(tree), [tree])
  const shown = useMemo(() => searchTree(tree, text), [tree, text])
  const held = useMemo(() => new Set(value), [value])
  const checks = useMemo(() => computeChecks(tree, held), [tree, held])
  const data = useMemo(() => {
    const isLocked = (key: Key) => !linked && !isPermission(key)
    return shown.map((item) => buildNode(item, isLocked))
  }, [shown, linked, isPermission])
  return { index, shown, held, checks, data }
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
    <div className="kit-row">
      <Input
        className="kit-main"
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
      <span className="kit-muted kit-number kit-end" role="status">
        {count}
      </span>
    </div>
  )
}

interface Node {
  key: Key
  title: React.ReactNode
  disabled: boolean
  disableCheckbox: boolean
  children: Node[]
}

const buildNode = (
  { key, title, hint, disabled = false, children = [] }: TreeItem,
  isLocked: (key: Key) => boolean,
): Node => ({
  key,
  disabled,
  disableCheckbox: isLocked(key),
  title: hint ? (
    <>
      {title} <span className="kit-muted">{hint}</span>
    </>
  ) : (
    title
  ),
  children: children.map((child) => buildNode(child, isLocked)),
})
