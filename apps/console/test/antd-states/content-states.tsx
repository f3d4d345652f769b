import { PlusOutlined } from '@ant-design/icons'
import {
  Alert,
  Avatar,
  Badge,
  Button,
  Card,
  Divider,
  Empty,
  Flex,
  Image,
  Progress,
  Result,
  Skeleton,
  Spin,
  Statistic,
  Steps,
  Table,
  Tabs,
  Tag,
  Timeline,
  Tree,
  Typography,
} from 'antd'
import { SAMPLE_OPTIONS, SAMPLE_ROWS, SAMPLE_TREE } from './samples.ts'

const columns = [
  { key: 'id', dataIndex: 'id', title: '编号', width: 120, fixed: 'start' as const, sorter: true },
  { key: 'name', dataIndex: 'name', title: '名称', width: 300, sorter: true, sortOrder: 'ascend' as const },
  { key: 'state', dataIndex: 'state', title: '状态', width: 300, align: 'right' as const, ellipsis: true },
  { key: 'more', dataIndex: 'more', title: '操作', width: 120, fixed: 'end' as const },
]

/** Tables with fixed columns, of all sizes, empty, virtual and as a tree. */
export const TableStates = () => (
  <>
    {(['small', 'middle', 'large'] as const).map((size) => (
      <div key={size} style={{ width: 500 }} className="states-scroll">
        <Table
          rowKey="id"
          size={size}
          columns={columns}
          dataSource={SAMPLE_ROWS}
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
    <Table
      rowKey="id"
      columns={columns}
      dataSource={SAMPLE_ROWS}
      pagination={false}
      scroll={{ x: 840, y: 60 }}
      virtual
    />
    <Table
      rowKey="key"
      columns={[{ dataIndex: 'title', title: '树' }]}
      dataSource={SAMPLE_TREE}
      pagination={false}
      expandable={{ defaultExpandAllRows: true }}
    />
  </>
)

const TAGS = ['error', 'processing', 'success', 'warning', 'default', 'green', 'blue', 'orange', 'gold', 'volcano']

/** Notes, tags, cards and texts. */
export const NoteStates = () => (
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
    <Image width={20} src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="图" />
  </>
)

/** Results, progress and navigation. */
export const ProgressStates = () => (
  <>
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
    <Tabs
      items={SAMPLE_OPTIONS.map(({ label }) => ({ key: label, label, children: label, disabled: label === '丙' }))}
    />
    <Tabs type="card" size="small" items={[{ key: '1', label: '甲', children: '甲' }]} />
    <Timeline items={[{ content: '一', color: 'green' }, { content: '二' }]} />
    <Tree treeData={SAMPLE_TREE} checkable showIcon blockNode draggable defaultExpandAll defaultCheckedKeys={['b']} />
  </>
)
