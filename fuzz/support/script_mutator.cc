#include "fuzz/support/script_mutator.h"

#include "fuzz/support/requests.h"

// libFuzzer's own changes to bytes; in the ordinary build there is no libFuzzer and no mutation.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                         size_t max_size);

namespace semblance::fuzz {
namespace {

constexpr size_t kRecords = 40;  // longer scripts get shorter

bool is_message(const Record& record) {
  return record.doing == Doing::kMessage || record.doing == Doing::kElement;
}

Record honest_message(Random& random) {
  Record record;
  record.doing = random.one_in(5) ? Doing::kElement : Doing::kMessage;
  record.peer = random.one_in(4);
  Element element = as_element(any_request(random), random);
  if (record.doing == Doing::kElement && random.one_in(2)) element.flags |= Element::kRelated;
  record.payload = element.build();
  return record;
}

Record any_record(Random& random) {
  if (!random.one_in(4)) return honest_message(random);
  Record record;
  record.doing = static_cast<Doing>(random.below(static_cast<size_t>(Doing::kCount)));
  if (is_message(record)) return honest_message(random);
  record.peer = random.one_in(3);
  for (size_t i = random.below(3); i > 0; --i)
    record.payload.push_back(static_cast<uint8_t>(random.next()));
  return record;
}

void mutate_bytes(std::vector<uint8_t>& bytes, Random& random) {
  if (LLVMFuzzerMutate == nullptr) return;
  size_t size = bytes.size();
  bytes.resize(size + random.below(32) + 1);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

void mutate_reference(Element& element, Random& random) {
  constexpr uint8_t kReferences[] = {
      0, 1, 2, 3, 4, Element::kAllOnes, Element::kZero, Element::kAsWritten};
  uint8_t value = random.pick(kReferences);
  switch (random.below(6)) {
    case 0:
      element.session = value;
      break;
    case 1:
      element.tree = value;
      break;
    case 2:
      element.message_id = random.one_in(4) ? value : 0;
      break;
    case 3:
      element.credits = static_cast<uint8_t>(random.next());
      break;
    case 4:
      element.charge = static_cast<uint8_t>(random.below(4));
      break;
    default:
      element.file = value;
  }
}

void mutate_element(Element& element, Random& random) {
  switch (random.below(8)) {
    case 0:
      element.flags ^= static_cast<uint8_t>(1u << random.below(6));
      break;
    case 1:
    case 2:
      mutate_reference(element, random);
      break;
    case 3:
      if (element.patches.size() < Element::kPatchesMax)
        element.patches.push_back({static_cast<uint8_t>(random.below(wire::kHeaderSize)),
                                   static_cast<uint8_t>(random.next())});
      break;
    case 4:
      element.patches.clear();
      break;
    case 5: {
      // The same fields with other values: the body of another request of its kind.
      Element fresh = as_element(any_request(random), random);
      element.body = fresh.body;
      element.command = fresh.command;
      break;
    }
    default:
      mutate_bytes(element.body, random);
      if (!random.one_in(4)) fix_length(element.command, element.body);
  }
}

void mutate_record(Record& record, Random& random) {
  if (!is_message(record)) return mutate_bytes(record.payload, random);
  if (random.one_in(12)) {
    record.doing = record.doing == Doing::kMessage ? Doing::kElement : Doing::kMessage;
    return;
  }
  Element element = Element::parse(record.payload);
  mutate_element(element, random);
  record.payload = element.build();
}

void mutate_once(Script& script, Random& random) {
  std::vector<Record>& records = script.records;
  auto at = [&](size_t index) { return records.begin() + static_cast<ptrdiff_t>(index); };
  size_t choice = random.below(10);
  if (records.empty() || choice < 3) {
    records.insert(at(random.below(records.size() + 1)), any_record(random));
  } else if (choice < 7) {
    mutate_record(records[random.below(records.size())], random);
  } else if (choice == 7) {
    records.erase(at(random.below(records.size())));
  } else if (choice == 8) {
    Record copy = records[random.below(records.size())];
    records.insert(at(random.below(records.size() + 1)), copy);
  } else {
    std::swap(records[random.below(records.size())], records[random.below(records.size())]);
  }
  if (random.one_in(20)) script.setting = static_cast<uint8_t>(random.next());
  while (records.size() > kRecords) records.erase(at(random.below(records.size())));
}

// What fits: whole records from the front.
size_t write_script(Script& script, MutableBytes out) {
  for (;;) {
    std::vector<uint8_t> bytes = script.build();
    if (bytes.size() <= out.size()) {
      std::ranges::copy(bytes, out.begin());
      return bytes.size();
    }
    if (script.records.empty()) return 0;
    script.records.pop_back();
  }
}

}  // namespace

size_t mutate_script(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Random random(seed);
  Script script = Script::parse({data, size});
  for (size_t i = 1 + random.below(4); i > 0; --i) mutate_once(script, random);
  return write_script(script, {data, max_size});
}

size_t cross_scripts(Bytes one, Bytes other, MutableBytes out, unsigned seed) {
  Random random(seed);
  Script script = Script::parse(one);
  Script second = Script::parse(other);
  if (random.one_in(2)) {
    // The beginning of one, the end of the other.
    script.records.resize(random.below(script.records.size() + 1));
    size_t from = random.below(second.records.size() + 1);
    script.records.insert(script.records.end(),
                          second.records.begin() + static_cast<ptrdiff_t>(from),
                          second.records.end());
  } else {
    // Both at once, as two peers.
    for (size_t i = 0; i < second.records.size(); ++i) {
      Record record = second.records[i];
      record.peer ^= 1;
      size_t at = std::min(2 * i + 1, script.records.size());
      script.records.insert(script.records.begin() + static_cast<ptrdiff_t>(at), record);
    }
  }
  if (script.records.size() > kRecords) script.records.resize(kRecords);
  return write_script(script, out);
}

}  // namespace semblance::fuzz
