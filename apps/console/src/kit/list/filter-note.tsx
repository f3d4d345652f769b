import { Alert, Button } from 'antd'

/** Names the filters that a link of statistics set and that the search form does not show, and offers to clear them. */
export const FilterNote = ({ words, onClear }: { words: readonly string[]; onClear(): void }) => (
  <Alert
    type="info"
    showIcon
    title={`按统计筛选 — ${words.join('，')}`}
    action={
      <Button size="small" onClick={onClear}>
        显示全部
      </Button>
    }
  />
)
