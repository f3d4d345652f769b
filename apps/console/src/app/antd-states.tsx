import { DownOutlined, PlusOutlined } from '@ant-design/icons'
import {
  Alert,
  AutoComplete,
  Avatar,
  Badge,
  Button,
  Card,
  Checkbox,
  DatePicker,
  Divider,
  Drawer,
  Dropdown,
  Empty,
  Flex,
  Form,
  Image,
  Input,
  InputNumber,
  List,
  Modal,
  Popconfirm,
  Popover,
  Progress,
  Radio,
  Rate,
  Result,
  Segmented,
  Select,
  Skeleton,
  Space,
  Spin,
  Statistic,
  Steps,
  Switch,
  Table,
  Tabs,
  Tag,
  Timeline,
  TimePicker,
  Tooltip,
  Tree,
  TreeSelect,
  Typography,
} from 'antd'
import type { ReactNode } from 'react'

const OPTIONS = ['甲', '乙', '丙'].map((label, value) => ({ label, value, disabled: value === 2 }))
const WORDS = [{ value: '甲' }, { value: '乙' }]
const TREE = [
  { key: 'a', value: 'a', title: '甲', children: [{ key: 'b', value: 'b', title: '乙' }] },
  { key: 'c', value: 'c', title: '丙', disabled: true, checkable: false },
]
const ROWS = Array.from({ length: 4 }, (_, id) => ({ id, name: `名称${id}`, state: '启用', more: '说明' }))
const MENU = {
  items: [
    { key: 1, label: '编辑' },
    { type: 'divider' as const },
    { key: 2, label: '删除', danger: true },
    { key: 3, label: '停用', disabled: true },
  ],
}
const inPage = () => document.body

const Buttons = () => (
  <>
    {(['primary', 'default', 'link', 'text', 'dashed'] as const).flatMap((type) =>
      (['middle', 'small'] as const).map((size) => (
        <Space key={`${type} ${size}`} wrap>
          <Button type={type} size={size}>
            文字
          </Button>
          <Button type={type} size={size} icon={<PlusOutlined />} />
          <Button type={type} size={size} icon={<PlusOutlined />} danger>
            危险
          </Button>
          <Button type={type} size={size} disabled>
            停用
          </Button>
          <Button type={type} size={size} loading>
            处理中
          </Button>
        </Space>
      )),
    )}
    <Button block ghost>
      整行
    </Button>
    <Space.Compact>
      <Button>一</Button>
      <Button>二</Button>
    </Space.Compact>
  </>
)

type Field = { readonly disabled?: boolean; readonly status?: 'error'; readonly size?: 'small' }

const controls = (field: Field): readonly ReactNode[] => [
  <Input key="input" {...field} allowClear showCount maxLength={9} prefix="¥" suffix="元" defaultValue="值" />,
  <Input key="plain" {...field} placeholder="请输入" />,
  <Input.TextArea key="area" {...field} showCount maxLength={20} autoSize />,
  <Input.Password key="password" {...field} defaultValue="x" />,
  <Input.Search key="search" {...field} enterButton />,
  <InputNumber key="number" {...field} suffix="%" defaultValue={3} />,
  <AutoComplete key="auto" {...field} options={WORDS} defaultValue="甲" />,
  <Select key="select" {...field} options={OPTIONS} defaultValue={0} allowClear />,
  <Select key="empty" {...field} options={OPTIONS} placeholder="请选择" loading />,
  <Select key="many" {...field} mode="multiple" options={OPTIONS} defaultValue={[0, 1]} maxTagCount="responsive" />,
  <TreeSelect key="tree" {...field} treeData={TREE} treeCheckable defaultValue={['b']} />,
  <DatePicker key="date" {...field} showTime placeholder="请选择日期" />,
  <DatePicker.RangePicker key="range" {...field} />,
  <TimePicker key="time" {...field} />,
]

const FIELDS: readonly Field[] = [{}, { disabled: true }, { status: 'error' }, { size: 'small' }]

const Fields = () => (
  <>
    {FIELDS.map((field) => (
      <div key={JSON.stringify(field)}>{controls(field)}</div>
    ))}
    <Input variant="borderless" placeholder="搜索" />
  </>
)

const Choices = () => (
  <>
    {[false, true].map((disabled) => (
      <div key={String(disabled)}>
        <Checkbox disabled={disabled}>未选</Checkbox>
        <Checkbox disabled={disabled} checked>
          已选
        </Checkbox>
        <Checkbox disabled={disabled} indeterminate>
          部分
        </Checkbox>
        <Checkbox.Group disabled={disabled} options={OPTIONS} />
        <Radio.Group disabled={disabled} options={OPTIONS} defaultValue={1} />
        <Radio.Group
          disabled={disabled}
          options={OPTIONS}
          defaultValue={1}
          optionType="button"
          buttonStyle="solid"
          size="small"
        />
        <Switch disabled={disabled} checkedChildren="启用" unCheckedChildren="停用" checked />
        <Switch disabled={disabled} size="small" loading />
        <Rate disabled={disabled} defaultValue={3} />
        <Segmented disabled={disabled} options={['日', '周']} size="small" />
      </div>
    ))}
  </>
)

const Forms = () => (
  <>
    {(['vertical', 'horizontal', 'inline'] as const).map((layout) => (
      <Form key={layout} name={layout} layout={layout}>
        <Form.Item label="名称" required tooltip="说明" extra="补充" name="a">
          <Input />
        </Form.Item>
        <Form.Item label="错误" validateStatus="error" help="请输入名称" hasFeedback>
          <Input />
        </Form.Item>
        <Form.Item noStyle>
          <InputNumber />
        </Form.Item>
      </Form>
    ))}
  </>
)

const columns = [
  { key: 'id', dataIndex: 'id', title: '编号', width: 120, fixed: 'start' as const, sorter: true },
  { key: 'name', dataIndex: 'name', title: '名称', width: 300, sorter: true, sortOrder: 'ascend' as const },
  { key: 'state', dataIndex: 'state', title: '状态', width: 300, align: 'right' as const, ellipsis: true },
  { key: 'more', dataIndex: 'more', title: '操作', width: 120, fixed: 'end' as const },
]

const Tables = () => (
  <>
    {(['small', 'middle', 'large'] as const).map((size) => (
      <div key={size} style={{ width: 500 }} className="states-scroll">
        <Table
          rowKey="id"
          size={size}
          columns={columns}
          dataSource={ROWS}
          pagination={false}
          tableLayout="fixed"
          scroll={{ x: 840 }}
          sticky
          rowSelection={{ selectedRowKeys: [1], getCheckboxProps: ({ id }) => ({ disabled: id === 2 }) }}
          expandable={{ expandedRowRender: () => '展开', defaultExpandedRowKeys: [0] }}
          loading={size === 'large'}
        />
      </div>
    ))}
    <Table rowKey="id" columns={columns} dataSource={[]} pagination={false} />
    <Table rowKey="id" columns={columns} dataSource={ROWS} pagination={false} scroll={{ x: 840, y: 60 }} virtual />
    <Table
      rowKey="key"
      columns={[{ dataIndex: 'title', title: '树' }]}
      dataSource={TREE}
      pagination={false}
      expandable={{ defaultExpandAllRows: true }}
    />
  </>
)

const TAGS = ['error', 'processing', 'success', 'warning', 'default', 'green', 'blue', 'orange', 'gold', 'volcano']

const Shown = () => (
  <>
    {(['success', 'info', 'warning', 'error'] as const).map((type) => (
      <Alert
        key={type}
        type={type}
        showIcon
        title="提示"
        description="说明"
        action={<Button size="small">处理</Button>}
      />
    ))}
    <Alert type="info" title="提示" closable />
    {TAGS.map((color) => (
      <Tag key={color} color={color} closable>
        标签
      </Tag>
    ))}
    <Badge count={5}>
      <Avatar>甲</Avatar>
    </Badge>
    <Badge status="success" text="在线" />
    <Avatar size="large" shape="square" icon={<PlusOutlined />} />
    <Card title="标题" extra="更多" size="small" hoverable>
      <Statistic title="数量" value={1234} suffix="台" />
    </Card>
    <Divider />
    <Divider vertical />
    <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有数据" />
    <Flex gap="small" wrap justify="space-between">
      <Typography.Text type="secondary" copyable ellipsis>
        文字
      </Typography.Text>
      <Typography.Paragraph code>代码</Typography.Paragraph>
    </Flex>
    <List size="small" dataSource={['甲']} renderItem={(item) => <List.Item>{item}</List.Item>} />
    <Image width={20} src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="图" />
    {(['normal', 'success', 'exception', 'active'] as const).map((status) => (
      <Progress key={status} percent={60} status={status} size="small" />
    ))}
    <Progress type="circle" percent={40} />
    <Result status="error" title="失败" extra={<Button>重试</Button>} />
    <Skeleton active avatar />
    <Spin description="加载中" spinning>
      <p>内容</p>
    </Spin>
    <Spin size="small" />
    <Steps current={1} size="small" items={[{ title: '一' }, { title: '二', content: '说明' }, { title: '三' }]} />
    <Tabs items={OPTIONS.map(({ label }) => ({ key: label, label, children: label, disabled: label === '丙' }))} />
    <Tabs type="card" size="small" items={[{ key: '1', label: '甲', children: '甲' }]} />
    <Timeline items={[{ content: '一', color: 'green' }, { content: '二' }]} />
    <Tree treeData={TREE} checkable showIcon blockNode draggable defaultExpandAll defaultCheckedKeys={['b']} />
  </>
)

const Popups = () => (
  <>
    <Select open options={OPTIONS} defaultValue={0} getPopupContainer={inPage} />
    <Select open mode="multiple" options={OPTIONS} defaultValue={[1]} getPopupContainer={inPage} />
    <Select open options={[]} showSearch getPopupContainer={inPage} />
    <TreeSelect open treeData={TREE} treeCheckable treeDefaultExpandAll getPopupContainer={inPage} />
    <AutoComplete open options={WORDS} getPopupContainer={inPage} />
    <DatePicker open showTime getPopupContainer={inPage} />
    <DatePicker open picker="month" getPopupContainer={inPage} />
    <DatePicker.RangePicker open getPopupContainer={inPage} presets={[{ label: '今天', value: [null, null] }]} />
    <TimePicker open getPopupContainer={inPage} />
    <Dropdown open menu={MENU}>
      <Button icon={<DownOutlined />}>更多</Button>
    </Dropdown>
    <Popover open title="标题" content="内容">
      <i>气泡</i>
    </Popover>
    <Popconfirm open title="删除？" description="不能恢复">
      <i>确认</i>
    </Popconfirm>
    <Tooltip open title="提示">
      <i>提示</i>
    </Tooltip>
    <Modal open title="标题" footer={undefined} confirmLoading>
      内容
    </Modal>
    <Drawer open title="标题" extra="更多" footer="按钮" mask={false}>
      内容
    </Drawer>
  </>
)

/** Every antd component that the console uses, in the states in which the console shows the component. */
export const AntdStates = () => (
  <>
    <Buttons />
    <Fields />
    <Choices />
    <Forms />
    <Tables />
    <Shown />
    <Popups />
  </>
)
