import { agentModels, type ModelRow, type ModelTest } from '@oms/contract/agent/models/config.ts'
import { Alert, Button, Modal } from 'antd'
import { useWrite } from '#core/api/query.ts'
import './model.css'

/** Dialog that tests a model and shows the result. */
export function ModelTestDialog({ row, onClose }: { row: ModelRow; onClose(): void }) {
  const test = useWrite(agentModels.test)
  const isCompletion = row.type === 'LLM' || row.type === 'VLLM'
  const run = () => test.mutate({ id: row.id })
  return (
    <Modal open title={`测试模型「${row.name}」`} footer={null} onCancel={onClose} destroyOnHidden>
      <p>
        {isCompletion
          ? '向模型发送一句话并等待一个字的回复，会产生极少的费用。'
          : '只检查模型的地址能否连接，不验证密钥和参数。'}
      </p>
      <Button type="primary" loading={test.isPending} onClick={run}>
        {test.data ? '再次测试' : '开始测试'}
      </Button>
      <div className="agent-test" aria-live="polite">
        {test.data && !test.isPending && (
          <Alert
            type={test.data.isOk ? 'success' : 'error'}
            showIcon
            title={test.data.isOk ? '测试通过' : '测试未通过'}
            description={<Result {...test.data} />}
          />
        )}
      </div>
    </Modal>
  )
}

function Result({ way, isOk, firstMs, totalMs, message }: ModelTest) {
  return (
    <>
      <div>{way === 1 && isOk ? `回复：${message}` : message}</div>
      {firstMs !== null && <div>首字 {firstMs.toLocaleString()} 毫秒</div>}
      <div>总耗时 {totalMs.toLocaleString()} 毫秒</div>
    </>
  )
}
