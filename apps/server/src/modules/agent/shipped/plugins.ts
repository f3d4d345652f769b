import { createProviderField, type ShippedProvider } from './shipped.ts'

/** Plugins that agents may use. */
export const PLUGIN_PROVIDERS: readonly ShippedProvider[] = [
  {
    type: 'Plugin',
    code: 'get_weather',
    name: '天气查询',
    fields: [
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('default_location', '默认查询城市', 'string', { default: '广州' }),
      createProviderField('api_host', '开发者API Host'),
    ],
  },
  {
    type: 'Plugin',
    code: 'play_music',
    name: '服务器音乐播放',
    fields: [],
  },
  {
    type: 'Plugin',
    code: 'get_news_from_newsnow',
    name: 'newsnow新闻聚合',
    fields: [
      createProviderField('url', '接口地址', 'string', { default: 'https://newsnow.busiyi.world/api/s?id=' }),
      createProviderField('news_sources', '新闻源', 'string', { default: '澎湃新闻;百度热搜;财联社' }),
    ],
  },
  {
    type: 'Plugin',
    code: 'get_news_from_chinanews',
    name: '中新网新闻',
    fields: [
      createProviderField('default_rss_url', '默认RSS源', 'string', {
        default: 'https://www.chinanews.com.cn/rss/society.xml',
      }),
      createProviderField('society_rss_url', '社会新闻RSS', 'string', {
        default: 'https://www.chinanews.com.cn/rss/society.xml',
      }),
      createProviderField('world_rss_url', '国际新闻RSS', 'string', {
        default: 'https://www.chinanews.com.cn/rss/world.xml',
      }),
      createProviderField('finance_rss_url', '财经新闻RSS', 'string', {
        default: 'https://www.chinanews.com.cn/rss/finance.xml',
      }),
    ],
  },
  {
    type: 'Plugin',
    code: 'hass_state',
    name: 'HomeAssistant设备控制',
    fields: [
      createProviderField('base_url', '接口地址'),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('devices', '设备列表（名称,实体ID;…）', 'array'),
    ],
  },
  {
    type: 'Plugin',
    code: 'hass_play_music',
    name: 'HomeAssistant音乐播放',
    fields: [],
  },
  {
    type: 'Plugin',
    code: 'web_search',
    name: '联网搜索',
    fields: [
      createProviderField('provider', '搜索源', 'string', { default: 'metaso' }),
      createProviderField('description', '工具描述', 'string', {
        default: '联网搜索工具。用户明确要求联网搜索时使用。',
      }),
      createProviderField('max_results', '返回数量', 'integer', { default: '5', min: 1, max: 50 }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
    ],
  },
  {
    type: 'Plugin',
    code: 'search_from_ragflow',
    name: '知识库检索（RAGFlow）',
    fields: [
      createProviderField('base_url', '接口地址', 'string', { default: 'http://127.0.0.1:9380' }),
      createProviderField('api_key', 'API密钥', 'password', { secret: true }),
      createProviderField('dataset_ids', '知识库ID（分号分隔）', 'array'),
    ],
  },
  {
    type: 'Plugin',
    code: 'call_device',
    name: '设备呼叫设备',
    fields: [],
  },
]
