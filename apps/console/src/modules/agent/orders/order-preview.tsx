import type { OrderPreview as Preview } from '@oms/contract/agent/orders/order-entities.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert, type FormInstance, Spin } from 'antd'
import { useOrderPreview } from './use-order-preview.ts'

/** Maximum number of refused targets that the preview names. */
const MOST_NAMED = 5

interface Props {
  readonly form: FormInstance
  readonly isGift: 0 | 1
}

/** Shows the amount of the order in the form and what every target gets, computed by the server. */
export function OrderPreview(props: Props) {
  const { isReady, data, error, isFetching } = useOrderPreview(props.form, props.isGift)
  if (!isReady) return <p className="kit-hint">填写完整后，这里显示订单金额和每个使用对象得到的内容。</p>
  if (error) return <Alert type="warning" showIcon title={error.message} />
  return (
    <Spin spinning={isFetching}>
      {data ? <Facts of={data} isGift={props.isGift === 1} /> : <div style={{ height: 80 }} />}
    </Spin>
  )
}

/** Shows the amount due beside the submit button, because the preview can be below the visible part of the form. */
export function OrderAmount({ form, isGift }: Props) {
  const { isReady, data, error, isFetching } = useOrderPreview(form, isGift)
  if (!isReady || error || !data) return null
  const { amount, targetCount, problems } = data
  return (
    <span role="status" aria-busy={isFetching}>
      {isGift ? '赠送，应收' : '应收'} <b>{formatCurrency(amount)}</b> · {targetCount.toLocaleString()} 个使用对象
      {problems.length > 0 && <span className="kit-problem">，{problems.length.toLocaleString()} 个不能下单</span>}
    </span>
  )
}

function Facts({ of, isGift }: { readonly of: Preview; readonly isGift: boolean }) {
  const { targetCount, grantCount, listAmount, discount, amount, problems } = of
  return (
    <section className="kit-block" aria-label="订单预览">
      <p className="kit-hint kit-row kit-sum">
        <span>
          {targetCount.toLocaleString()} 个使用对象，发放 {grantCount.toLocaleString()} 项权益
        </span>
        <span>标价 {formatCurrency(listAmount)}</span>
        {discount > 0 && <span>优惠 {formatCurrency(discount)}</span>}
        <span>
          {isGift ? '赠送，应收' : '应收'} <b>{formatCurrency(amount)}</b>
        </span>
      </p>
      {problems.length > 0 && <Problems list={problems} />}
      <h3 className="kit-heading">今天付款并开始使用，每个使用对象得到</h3>
      <ul className="kit-items">
        {of.packs.map((pack) => (
          <li key={pack.packNo}>
            <b>
              第 {pack.packNo} 份 · {of.content}
            </b>
            <span className="kit-muted">
              {pack.beginTime.slice(0, 10)} 开始，{pack.validUntil.slice(0, 10)} 结束；最晚{' '}
              {pack.activateUntil.slice(0, 10)} 前开始使用
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Problems = ({ list }: { readonly list: Preview['problems'] }) => (
  <Alert
    type="error"
    showIcon
    className="kit-note"
    title={`${list.length.toLocaleString()} 个使用对象不能下单，请移除后提交`}
    description={
      <>
        {list.slice(0, MOST_NAMED).map(({ name, msg }) => (
          <div key={`${name}:${msg}`}>
            {name}：{msg}
          </div>
        ))}
        {list.length > MOST_NAMED && <div>……</div>}
      </>
    }
  />
)
