import { field, type ShippedProvider } from './shipped-provider.ts'

/** Providers of language models, memories, intents and knowledge bases. */
export const LANGUAGE_PROVIDERS: readonly ShippedProvider[] = [
  {
    type: 'LLM',
    code: 'openai',
    name: 'OpenAI兼容接口',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('model_name', '模型名称', 'string', { required: true }),
      field('api_key', 'API密钥', 'password', { secret: true }),
      field('temperature', '温度', 'number'),
      field('max_tokens', '最大令牌数', 'number'),
      field('top_p', 'top_p', 'number'),
      field('top_k', 'top_k', 'number'),
      field('frequency_penalty', '频率惩罚', 'number'),
    ],
  },
  {
    type: 'LLM',
    code: 'AliBL',
    name: '阿里百炼接口',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('app_id', '应用ID'),
      field('api_key', 'API密钥', 'password', { secret: true }),
      field('is_no_prompt', '是否不使用本地prompt', 'boolean'),
      field('ali_memory_id', '记忆ID'),
    ],
  },
  {
    type: 'LLM',
    code: 'ollama',
    name: 'Ollama接口',
    fields: [
      field('model_name', '模型名称', 'string', { required: true }),
      field('base_url', '接口地址', 'string', { required: true }),
    ],
  },
  {
    type: 'LLM',
    code: 'dify',
    name: 'Dify接口',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('api_key', 'API密钥', 'password', { secret: true }),
      field('mode', '对话模式'),
    ],
  },
  {
    type: 'LLM',
    code: 'gemini',
    name: 'Gemini接口',
    fields: [
      field('api_key', 'API密钥', 'password', { secret: true }),
      field('model_name', '模型名称', 'string', { required: true }),
      field('http_proxy', 'HTTP代理'),
      field('https_proxy', 'HTTPS代理'),
    ],
  },
  {
    type: 'LLM',
    code: 'coze',
    name: 'Coze接口',
    fields: [
      field('bot_id', '机器人ID'),
      field('user_id', '用户ID'),
      field('personal_access_token', '个人访问令牌', 'password', { secret: true }),
    ],
  },
  {
    type: 'LLM',
    code: 'fastgpt',
    name: 'FastGPT接口',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('api_key', 'API密钥', 'password', { secret: true }),
      field('variables', '变量', 'dict'),
    ],
  },
  {
    type: 'LLM',
    code: 'xinference',
    name: 'Xinference接口',
    fields: [
      field('model_name', '模型名称', 'string', { required: true }),
      field('base_url', '接口地址', 'string', { required: true }),
    ],
  },
  {
    type: 'VLLM',
    code: 'openai',
    name: 'OpenAI兼容接口',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('model_name', '模型名称', 'string', { required: true }),
      field('api_key', 'API密钥', 'password', { secret: true }),
    ],
  },
  {
    type: 'Memory',
    code: 'mem0ai',
    name: 'Mem0AI记忆',
    fields: [field('api_key', 'API密钥', 'password', { secret: true })],
  },
  {
    type: 'Memory',
    code: 'nomem',
    name: '无记忆',
    fields: [],
  },
  {
    type: 'Memory',
    code: 'mem_local_short',
    name: '本地短期记忆（总结记忆）',
    fields: [field('llm', '使用的LLM', 'string', { required: true })],
  },
  {
    type: 'Memory',
    code: 'powermem',
    name: 'PowerMem记忆',
    fields: [
      field('enable_user_profile', '记录用户画像', 'boolean'),
      field('llm_provider', 'LLM提供商'),
      field('llm_api_key', 'LLM API密钥', 'password', { secret: true }),
      field('llm_model', 'LLM模型'),
      field('openai_base_url', 'OpenAI基础URL'),
      field('embedding_provider', 'Embedding提供商'),
      field('embedding_api_key', 'Embedding API密钥', 'password', { secret: true }),
      field('embedding_model', 'Embedding模型'),
      field('embedding_openai_base_url', 'Embedding OpenAI基础URL'),
      field('embedding_dims', 'Embedding维度', 'integer'),
      field('vector_store', '向量存储配置(JSON)', 'dict'),
    ],
  },
  {
    type: 'Memory',
    code: 'mem_report_only',
    name: '仅上报聊天记录（不总结记忆）',
    fields: [],
  },
  {
    type: 'Intent',
    code: 'nointent',
    name: '无意图识别',
    fields: [],
  },
  {
    type: 'Intent',
    code: 'intent_llm',
    name: '外挂的大模型意图识别',
    fields: [field('llm', '使用的LLM', 'string', { required: true })],
  },
  {
    type: 'Intent',
    code: 'function_call',
    name: '大模型自主函数调用',
    fields: [],
  },
  {
    type: 'RAG',
    code: 'ragflow',
    name: 'RAGFlow',
    fields: [
      field('base_url', '接口地址', 'string', { required: true }),
      field('api_key', 'API密钥', 'password', { secret: true }),
    ],
  },
]
