import {
  agentTemplates,
  type TemplatePreview as Preview,
  type TemplateRow,
} from '@oms/contract/agent/templates/template.ts'
import { Drawer, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Shown instead of the name of a model or voice that is not shared with the tenant. */
const CLOSED = '未开放给客户'

/** Shows prompt, models and plugins of a template. */
export function TemplatePreview({ row, onClose }: { row: TemplateRow; onClose(): void }) {
  const { data, error, refetch } = useRead(agentTemplates.preview, { id: row.id }, { quiet: true })
  return (
    <Drawer open title={`预览模板「${row.templateName}」`} size="min(640px, 100vw)" onClose={onClose}>
      {data ? <Content preview={data} /> : <Waiting reads={[{ error, refetch }]} />}
    </Drawer>
  )
}

const Content = ({
  preview: { prompt, models, voiceName, isVoiceClosed, plugins, isDefault },
}: {
  preview: Preview
}) => (
  <>
    {isDefault && <p className="kit-muted">新增智能体时不选模板，即使用该模板。</p>}
    <h3 className="kit-heading">角色设定</h3>
    <p className="kit-code kit-muted">{prompt || '未填写'}</p>
    <h3 className="kit-heading">模型</h3>
    <dl className="kit-facts">
      {models.map(({ field, title, name, status, isClosed }) => (
        <div key={field}>
          <dt>{title}</dt>
          <dd>
            {name || (isClosed ? CLOSED : '已被删除')} {name !== '' && status !== 1 && <Tag>已停用</Tag>}
          </dd>
        </div>
      ))}
      <div>
        <dt>音色</dt>
        <dd>{voiceName || (isVoiceClosed ? CLOSED : '未选择')}</dd>
      </div>
      <div>
        <dt>插件</dt>
        <dd>{plugins.join('、') || '无'}</dd>
      </div>
    </dl>
  </>
)
