-- A person's session in Neovim, with the configuration that stands in docs/tasks. What Neovim then knows goes as JSON into the
-- file that SEEN names; the test beside this file says what it has to be.
local PATIENCE_MS = 120000

local seen = { notes = {} }
-- Of a buffer: how often its diagnostics came.
local pushes = {}
-- What the person picks from the lists to come, by the text that is shown.
local wishes = {}

local function await(what, condition)
  if not vim.wait(PATIENCE_MS, condition, 20) then error('Neovim waited in vain for ' .. what) end
end

vim.api.nvim_create_autocmd('DiagnosticChanged', {
  callback = function(event) pushes[event.buf] = (pushes[event.buf] or 0) + 1 end,
})

vim.notify = function(text) table.insert(seen.notes, text) end

vim.ui.select = function(items, options, choose)
  local wish = table.remove(wishes, 1)
  seen.choices = vim.tbl_map(options.format_item, items)
  for index, text in ipairs(seen.choices) do
    if text == wish then return choose(items[index]) end
  end
  seen.problem = '"' .. tostring(wish) .. '" is not among: ' .. table.concat(seen.choices, ', ')
end

local function open(name)
  vim.cmd('edit ' .. name)
  local buffer = vim.api.nvim_get_current_buf()
  await('diagnostics of ' .. name, function() return pushes[buffer] end)
end

-- 1-based line and code, in the order of lines.
local function diagnostics()
  local found = vim.tbl_map(function(each)
    return string.format('%d %s', each.lnum + 1, each.user_data.lsp.code)
  end, vim.diagnostic.get(0))
  table.sort(found, function(a, b) return tonumber(a:match('%d+')) < tonumber(b:match('%d+')) end)
  return found
end

-- Puts the cursor on the first character of a text.
local function go_to(text)
  vim.fn.cursor(1, 1)
  if vim.fn.search('\\V' .. text, 'cW') == 0 then error(text .. ' is not in the buffer') end
end

local function completions()
  local params = vim.lsp.util.make_position_params()
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion', params, PATIENCE_MS)
  local items = {}
  for _, answer in pairs(answers) do vim.list_extend(items, vim.lsp.util.extract_completion_items(answer.result)) end
  table.sort(items, function(a, b) return a.sortText < b.sortText end)
  return vim.tbl_map(function(item) return item.label end, items)
end

local function floating_window()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
  end
end

local function hover()
  vim.lsp.buf.hover()
  await('the hover', floating_window)
  local window = floating_window()
  local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)
  return lines
end

-- Titles of one line, in their order.
local function lenses(line)
  local found = {}
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    if lens.range.start.line + 1 == line then table.insert(found, lens.command.title) end
  end
  return found
end

-- Runs a lens of a line, and what it then asks for, until the run has ended.
local function run_lens(line, ...)
  local before = #seen.notes
  wishes = { ... }
  vim.fn.cursor(line, 1)
  vim.lsp.codelens.run()
  await('the end of the run', function() return seen.problem or #seen.notes > before end)
end

local function session()
  open('adapter-v3.js')
  seen.right = diagnostics()

  open('adapter-v1.js')
  seen.wrong = diagnostics()

  go_to('listRobots')
  local buffer = vim.api.nvim_get_current_buf()
  local before = pushes[buffer]
  vim.cmd('normal! cwrobots')
  await('diagnostics of the edited text', function() return pushes[buffer] > before end)
  seen.edited = diagnostics()
  vim.cmd('silent undo')
  go_to('listRobots')
  seen.completions = completions()

  go_to('createMission')
  seen.hover = hover()

  go_to('module.exports')
  local head = vim.fn.line('.')
  go_to('async dispatch')
  local line = vim.fn.line('.')
  await('lenses', function() return #lenses(head) > 0 end)
  seen.lenses = { head = lenses(head), dispatch = lenses(line) }

  run_lens(line, '▶ lost_answer')
  await('the verdict in the lens', function() return vim.tbl_contains(lenses(line), '✗ failed lost_answer') end)
  await('the verdict at its line', function() return #diagnostics() > #seen.wrong end)
  seen.judged = diagnostics()
  seen.lensesAfter = { head = lenses(head), dispatch = lenses(line) }

  run_lens(head, 'Scenarios…', 'nominal (none)')
end

local right, problem = xpcall(session, debug.traceback)
if not right then seen.problem = seen.problem or problem end
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.SEEN)
vim.cmd('qall!')
