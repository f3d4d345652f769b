import {
  ApiOutlined,
  BarChartOutlined,
  BellOutlined,
  CloudOutlined,
  ControlOutlined,
  FileTextOutlined,
  InfoCircleOutlined,
  PlayCircleOutlined,
  RobotOutlined,
  ShopOutlined,
  ShoppingOutlined,
  SoundOutlined,
  TagsOutlined,
  ToolOutlined,
  UploadOutlined,
} from '@ant-design/icons'
import { BUILTIN_ICONS, type Icon } from './menu-icons-builtin.tsx'

/** All icons that a menu can use. */
export const ICONS: Readonly<Record<string, Icon>> = {
  ...BUILTIN_ICONS,
  api: ApiOutlined,
  bell: BellOutlined,
  cloud: CloudOutlined,
  chart: BarChartOutlined,
  control: ControlOutlined,
  file: FileTextOutlined,
  info: InfoCircleOutlined,
  play: PlayCircleOutlined,
  robot: RobotOutlined,
  shop: ShopOutlined,
  shopping: ShoppingOutlined,
  sound: SoundOutlined,
  tags: TagsOutlined,
  tool: ToolOutlined,
  upload: UploadOutlined,
}
